// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x <= 5);
#ifdef REPAIRED
    char *p = strdup("hello"); r = p[x];
#else
    char *p = strdup("hell"); r = p[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
