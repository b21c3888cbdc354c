// long, unsigned long and long long: 64 bits, with constants that need them all.
// expect: branches=12/12 infeasible=0
// witness: 0x123456789abcdef0 1 2
// witness: 0x6666666666666667 5 0x8000000000000000
// witness: 0x6666666666666667 9223372036854775807 0
// witness: 0 0 0
// witness: 1 0x10000000000 0x8000000000000000
// witness: 1 0x10000000000 0x8000000000000001
#include "bothways.h"

int main(void) {
    long a;
    long long b;
    unsigned long c;
    bw_long(&a, "a");
    bw_longlong(&b, "b");
    bw_ulong(&c, "c");
    if (a == 0x123456789abcdef0)
        return 1;
    if (a * 5 == 3) { /* 5 has an inverse modulo 2^64 */
        if (b > 0x7ffffffffffffff0)
            return 2;
    }
    if ((c >> 63) != 0 && (c << 1) == 0)
        return 3;
    if ((int)b != b) /* does not fit in an int */
        return 4;
    return 0;
}
