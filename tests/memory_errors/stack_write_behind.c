// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 8);
#ifdef REPAIRED
    char a[8] = {0}; volatile char b[4] = {0}; a[x] = 7; r = a[0 * x] + b[0];
#else
    char a[4]; volatile char b[4] = {0}; a[x] = 7; r = a[0 * x] + b[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
