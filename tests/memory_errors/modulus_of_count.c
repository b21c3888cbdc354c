// error: division by zero, or of the smallest number by -1
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static unsigned count;

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    if (x > 4000000000u) count++; r = count ? (int)(x % count) : 0;
#else
    if (x <= 4000000000u) count++; r = (int)(x % count);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
