// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x <= 6);
#ifdef REPAIRED
    int *p = calloc(7, sizeof *p); r = p[x];
#else
    int *p = calloc(6, sizeof *p); r = p[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
