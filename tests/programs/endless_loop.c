// A loop that never ends for one input: the time limit ends the run, and what it reached still counts.
// args: --timeout 300ms
// expect: branches=8/8 infeasible=0
// witness: 12345
// witness: 12346
// witness: 0
// witness: -1
#include "bothways.h"

static volatile int ticks;

int main(void) {
    int x;
    bw_int(&x, "x");
    if (x == 12345) {
        while (x > 0) /* killed inside, it counts as left: entered once more than run */
            if (++ticks == 1000) /* still counts before the end */
                ticks = 0;
        return 1;
    }
    return x < 0 ? 2 : 3;
}
