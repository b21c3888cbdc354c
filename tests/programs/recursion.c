// Recursion: depth and results depend on the input (Euclid, and a tree of calls).
// expect: branches=12/12 infeasible=0
// witness: 48 36 3
// witness: 7 3 9
// witness: 0 5 5
// witness: 300 1 1
// witness: 21 1 5
// witness: 5 5 4
#include "bothways.h"

static unsigned gcd(unsigned a, unsigned b) {
    return b == 0 ? a : gcd(b, a % b);
}

static unsigned ways(unsigned steps) {
    if (steps < 2)
        return 1;
    return ways(steps - 1) + ways(steps - 2);
}

int main(void) {
    unsigned char a, b, steps;
    bw_uchar(&a, "a");
    bw_uchar(&b, "b");
    bw_uchar(&steps, "steps");
    if (a > 20 && gcd(a, b) == 12)
        return 1;
    if (steps > 7)
        return 2;
    if (ways(steps) == 8)
        return 3;
    return 0;
}
