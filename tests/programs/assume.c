// bw_assume: what it excludes is not covered, and where nothing is left it is infeasible.
// expect: branches=6/8 infeasible=2
// witness: 11 20
// witness: 50 51
// witness: 90 -5
// witness: 51 52
#include "bothways.h"

int main(void) {
    int x, y;
    bw_int(&x, "x");
    bw_int(&y, "y");
    bw_assume(x > 10);
    bw_assume(x < 100);
    bw_assume(y != x);
    if (x < 5) /* never true: it is assumed to be larger */
        return 1;
    if (x == y) /* never true: it is assumed to be different */
        return 2;
    if (y - x == 1 && x % 10 == 0)
        return 3;
    return y < 0;
}
