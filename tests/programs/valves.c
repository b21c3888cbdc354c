// A controller of valves, after figure 1 of the paper on BiTe: any number of valves, and an alarm when too many are out of order.
// expect: branches=12/14 infeasible=2
// witness: 4 1 1 -1 -1 0 -1
// witness: 0 0 0
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

#ifndef TOLERANCE
#define TOLERANCE 2
#endif

static int number;
static int alarms;

static int status_of(int valve) {
    if (valve < 0) /* never true */
        exit(1);
    if (valve >= number) /* never true: whoever asks has compared it */
        exit(1);
    return __VERIFIER_nondet_int();
}

static int check_valves(int before, int after) {
    while (before > 0)
        before--;
    int count = 0;
    for (int valve = 0; valve < number; valve++) {
        if (status_of(valve) == -1)
            count++;
    }
    if (count > TOLERANCE)
        alarms++;
    while (after > 0)
        after--;
    return count;
}

int main(void) {
    number = __VERIFIER_nondet_int();
    int before = __VERIFIER_nondet_int();
    return check_valves(before, __VERIFIER_nondet_int());
}
