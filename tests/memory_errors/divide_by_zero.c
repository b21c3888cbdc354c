// error: division by zero, or of the smallest number by -1
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    r = x == 12345 ? 0 : 100 / (int)(x - 12345);
#else
    r = 100 / (int)(x - 12345);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
