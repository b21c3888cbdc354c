// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x > 0 && x < 12);
#ifdef REPAIRED
    int a[x + 1]; a[x] = 1; r = a[x];
#else
    int a[x]; a[x > 10 ? x : 0] = 1; r = a[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
