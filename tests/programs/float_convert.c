// Conversions between integers and floats: truncation, rounding of large integers, unsigned values.
// expect: branches=18/18 infeasible=0
// witness: 3.99 16777217 0
// witness: -3.99 1 9223372036854775808
// witness: 1000.5 2 0
// witness: -0.5 3 0
// witness: 2.0 1 0
// witness: 1e300 1 0
// witness: -5000.0 1 0
// witness: 1.0 16777217 0
// witness: 0.5 0 0
// witness: 0.0 0 0
#include "bothways.h"

int main(void) {
    double d;
    int i;
    unsigned long u;
    bw_double(&d, "d");
    bw_int(&i, "i");
    bw_ulong(&u, "u");
    if (!(d > -1000 && d < 1e6))
        return 1;
    int whole = (int)d;
    if (whole == 0 && d < 0)
        return 2;
    if ((int)(float)i != i) /* more than 24 bits */
        return whole == 3 ? 3 : 4;
    if ((double)u == 9223372036854775808.0)
        return 5;
    if (d - whole == 0.5 && whole > 999)
        return 6;
    return (unsigned char)d == 2;
}
