// Conditions that exclude each other: what the search must prove, not only fail to find.
// expect: branches=15/20 infeasible=5
// witness: 10 3
// witness: 3 10
// witness: 10 10
// witness: 0 0
// witness: 10 6
// witness: -4 6
// witness: -3 0
#include "bothways.h"

static int sign(int x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

int main(void) {
    int x;
    unsigned char y;
    bw_int(&x, "x");
    bw_uchar(&y, "y");
    if (x > 5) {
        if (x < 3) /* never true */
            return 1;
        if (sign(x) != 1) /* never true */
            return 2;
    }
    if ((x & 1) && x % 2 == 0) /* never true: an odd number */
        return 3;
    int even = y * 2;
    if (even == 7) /* never true */
        return 4;
    if (y * y == 36 && y != 6) /* never true: only 6 is small enough */
        return 5;
    return sign(x - y) == 0;
}
