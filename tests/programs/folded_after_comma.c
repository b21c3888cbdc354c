// A condition that only the optimiser's folding decides: what the profile adds for it is a constant, 0 or 1 (gnulib's
// FILE_SYSTEM_PREFIX_LEN).
// expect: branches=4/6 infeasible=2
// witness: 1
// witness: 40
#include "bothways.h"

#define PREFIX(name) ((void)(name), 0)
#define SUFFIX(name) ((void)(name), 1)

int main(void) {
    unsigned char x;
    int length = 0;
    bw_uchar(&x, "x");
    if (x > 30)
        length = PREFIX(x) != 0 ? 2 : 3; /* never true */
    else
        length = SUFFIX(x) != 0 ? 4 : 5; /* never false */
    return length;
}
