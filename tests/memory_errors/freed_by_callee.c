// error: access to an object after its end of life
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static void drop(int *p, unsigned x) { if (x & 64) free(p); }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int *p = malloc(4); *p = 2; r = *p; drop(p, x);
#else
    int *p = malloc(4); *p = 2; drop(p, x); r = *p;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
