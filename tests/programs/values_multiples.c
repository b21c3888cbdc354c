// Multiples of 3 up to the largest number: what is left of them without one of them still has 0.
// expect: branches=4/4 infeasible=0
// witness: 0
// witness: 1
// witness: 10
#include "bothways.h"

int main(void) {
    unsigned x;
    bw_uint(&x, "x");
    unsigned multiple = 3 * (x % 1431655766u);
    if (multiple != 30) {
        if (multiple == 0)
            return 1;
    }
    return 0;
}
