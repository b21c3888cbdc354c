// Conditions that the compiler folds: they are no goals, and neither is the code behind them.
// expect: branches=4/6 infeasible=2
// witness: 1
// witness: 8
// witness: 40
#include "bothways.h"

enum { DEBUG = 0, WIDTH = 8 };

int main(void) {
    unsigned char x;
    int turns = 0;
    bw_uchar(&x, "x");
    if (DEBUG) /* folded */
        return 9;
    if (sizeof(long) == 8) /* folded */
        turns++;
    while (1) { /* folded */
        if (x > 30)
            break;
        x += WIDTH;
        if (DEBUG &&   /* folded */
            x == 7)    /* never true, never false: not even compiled, but counted */
            break;
        if (x == 16 ||
            WIDTH == 9) /* folded */
            return turns;
    }
    return 0 ? x : 2; /* folded */
}
