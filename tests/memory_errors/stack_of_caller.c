// error: access beyond the end of an object
// line: 7
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int last(const int *p, unsigned n) { return p[n]; }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x <= 4);
#ifdef REPAIRED
    int a[5] = {1, 2, 3, 4, 5}; r = last(a, x);
#else
    int a[4] = {1, 2, 3, 4}; r = last(a, x);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
