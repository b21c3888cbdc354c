// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int a[4] = {1, 2, 3, 4}, i = (int)(x % 8) - 4; if (i >= 0) r = a[i];
#else
    int a[4] = {1, 2, 3, 4}, i = (int)(x % 8) - 4; r = a[i];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
