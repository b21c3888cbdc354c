// A loop whose end contradicts the condition around it: no state leaves it, but a run that is killed inside counts as left.
// args: --timeout 300ms
// expect: branches=8/8 infeasible=0
// witness: 5
// witness: 4
// witness: -1
#include "bothways.h"

static volatile int ticks;

int main(void) {
    int x;
    bw_int(&x, "x");
    int y = x;
    if (y == 5) {
        while (y > 0)
            if (++ticks == 1000)
                ticks = 0;
        return 1;
    }
    return y < 0 ? 2 : 3;
}
