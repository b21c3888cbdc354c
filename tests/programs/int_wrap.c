// int and unsigned wrap around: programs are compiled with -fwrapv.
// expect: branches=14/14 infeasible=0
// witness: 2147483647 0
// witness: -2147483648 5
// witness: 7 1431655766
// witness: 50000 1
// witness: 7 0
// witness: 0 1
#include "bothways.h"

int main(void) {
    int x;
    unsigned u;
    bw_int(&x, "x");
    bw_uint(&u, "u");
    if (x + 1 < x)
        return 1;
    if (-x == x && x != 0)
        return 2;
    if (u * 3 == 2) /* 3 has an inverse modulo 2^32 */
        return 3;
    if (x > 0 && x * x < 0)
        return 4;
    if (u - 1 > u)
        return 5;
    return 0;
}
