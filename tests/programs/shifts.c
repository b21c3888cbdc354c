// Shifts: left, logical right, arithmetic right, by constants and by a symbolic amount.
// expect: branches=14/14 infeasible=0
// witness: -16 4 0
// witness: 1 31 0
// witness: 255 40 0
// witness: 64 3 1
// witness: 8 3 0xdeadbeefcafef00d
// witness: -8 3 0
// witness: 8 3 0xdeadbeefcafef000
// witness: 9 0 0
#include "bothways.h"

int main(void) {
    int x;
    unsigned n;
    unsigned long long big;
    bw_int(&x, "x");
    bw_uint(&n, "n");
    bw_ulonglong(&big, "big");
    if (n > 31)
        return 1;
    if (x >> n == -1 && x < -8) /* keeps the sign */
        return 2;
    if ((unsigned)x << n == 0x80000000u)
        return 3;
    if (big >> (n + 8) == 0xdeadbeefcafef0ull >> n && (big & 0xff) == 0x0d)
        return 4;
    if (x >> n == 8)
        return 5;
    return 0;
}
