// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x >= 1 && x <= 4);
#ifdef REPAIRED
    short *p = realloc(0, x * sizeof *p); p[x - 1] = 3; r = p[x - 1];
#else
    short *p = realloc(0, x * sizeof *p); p[0] = 3; p[x < 3 ? 0 : 3] = 3; r = p[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
