// What <math.h> says of doubles and floats: classes, signs, roots, roundings, parts.
// expect: branches=30/32 infeasible=2
// witness: nan 0 0
// witness: inf 0 0
// witness: -inf 0 0
// witness: 1e-310 0 0
// witness: -0.0 0 0
// witness: 0.0 0 0
// witness: 1.0 5.25 0
// witness: 1.0 -4.0 0
// witness: 1.0 6.25 0
// witness: 1.0 1.75 0
// witness: 1.0 nan 0
// witness: 1.0 1.0 0.5f
// witness: 1.0 17.75 0
// witness: 1.0 1.0 1.5f
// witness: 1.0 1.0 2.5f
#include <errno.h>
#include <math.h>

#include "bothways.h"

int main(void) {
    double kind, size;
    float part;
    bw_double(&kind, "kind");
    bw_double(&size, "size");
    bw_float(&part, "part");
    if (isnan(kind))
        return 1;
    if (isinf(kind))
        return kind < 0 ? 2 : 3;
    if (!isfinite(kind)) /* never true */
        return 4;
    if (fpclassify(kind) == FP_SUBNORMAL)
        return 5;
    if (!isnormal(kind))
        return signbit(kind) ? 6 : 7;
    if (isnan(size))
        return 8;
    errno = 0;
    double root = sqrt(size);
    if (errno == EDOM)
        return 9;
    if (root == 2.5)
        return 10;
    double whole;
    if (modf(size, &whole) == 0.75 && whole == 17)
        return 11;
    if (size == 1 && rintf(part) == 2 && roundf(part) == 3)
        return 12;
    if (floorf(part) > part) /* never true */
        return 13;
    return 0;
}
