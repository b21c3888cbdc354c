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
    int d = (int)x; r = -5 / (d ? d : 1); r &= 1;
#else
    int d = (int)x; r = (int)0x80000000 / (d ? d : 1); r &= 1;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
