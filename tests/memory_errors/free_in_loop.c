// error: an object was freed twice
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 4);
#ifdef REPAIRED
    char *p = malloc(3); for (unsigned i = 0; i < x; i++) { free(p); p = 0; } r = p != 0;
#else
    char *p = malloc(3); for (unsigned i = 0; i < x; i++) free(p); r = p != 0;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
