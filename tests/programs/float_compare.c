// float and double arithmetic: sums, products, roundings to float, and every comparison.
// expect: branches=18/18 infeasible=0
// witness: 1.5 2.5f
// witness: 0.1 0.1f
// witness: 3.0 -3.0f
// witness: 16777217.0 0.0f
// witness: 100.0 7.0f
// witness: -2.0 1.0f
// witness: 2.0 2.0f
// witness: 0.1 -0.5f
// witness: 16777219.0 0.0f
// witness: 0.0 2.0f
// witness: 5.0 -1.0f
#include "bothways.h"

int main(void) {
    double d;
    float f;
    bw_double(&d, "d");
    bw_float(&f, "f");
    if (d + f == 4.0 && d * f == 3.75)
        return 1;
    if (d == 0.1 && (float)d != f) /* rounds to 0.1f */
        return 2;
    if (d > 16777216.0 && (float)d == 16777216.0f)
        return 3;
    if (f < 0 && -f >= d)
        return 4;
    if (d / 3 <= -0.5f)
        return 5;
    return d > f;
}
