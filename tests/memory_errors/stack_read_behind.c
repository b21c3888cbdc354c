// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int a[3] = {1, 2, 3}; r = a[x % 3];
#else
    int a[3] = {1, 2, 3}; r = a[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
