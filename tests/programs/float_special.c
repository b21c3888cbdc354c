// Infinities, NaN and negative zero: what is equal, what is ordered, and what the bits say.
// expect: branches=16/16 infeasible=0
// witness: nan 1.0
// witness: inf 1.0
// witness: -0.0 0.0
// witness: 0.0 0.0
// witness: 1e300 1e300
// witness: 1.0 0.0
// witness: 1.0 nan
// witness: 1.0 2.0
// witness: 1e300 1.0
#include <math.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    double a, b;
    unsigned long bits;
    bw_double(&a, "a");
    bw_double(&b, "b");
    if (a != a)
        return 1;
    if (isinf(a))
        return 2;
    memcpy(&bits, &a, sizeof bits);
    if (a == 0 && bits != 0)
        return 3;
    if (fabs(a) > 1e299 && isinf(a * b))
        return 4;
    if (!(a < b) && !(a >= b)) /* b is not a number */
        return 5;
    return 0;
}
