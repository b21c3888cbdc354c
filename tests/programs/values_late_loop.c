// A loop that asks for values without end, which the first input does not come to: runs are cut where they ask, so that what is
// counted there is not counted in the middle of a round.
// expect: branches=16/20 infeasible=4
// witness: 0
// witness: 1 0 5 0 5 9 0 5 0 5 9 1 1
#include "bothways.h"

static int state = 0, flag = 0;

static void step(int x) {
    switch (state) { /* the default: never true */
    case 0:
        if (x == 5)
            state = 1;
        break;
    case 1:
        flag = 1;
        if (x == 9)
            state = 2;
        else
            state = 0;
        break;
    case 2:
        if (!flag) /* never true */
            state = 7;
        else
            state = 0;
        break;
    case 7: /* never true */
        state = 0;
        break;
    }
}

int main(void) {
    int n;
    bw_int(&n, "n");
    if (n == 0)
        return 0;
    while (1) { /* folded */
        int x;
        bw_int(&x, "x");
        step(x);
        if (state == 12) /* never true */
            return 3;
    }
}
