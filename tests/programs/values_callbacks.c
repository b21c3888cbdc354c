// States are functions: each installs the next, and none installs `broken`.
// expect: branches=18/24 infeasible=6
// witness: 5 1 2 2 2 3 4 4 4 1 3 -5
#include "bothways.h"

static int idle(int), busy(int), draining(int);
static int (*state)(int) = idle;
static int jobs, bad;

static int broken(int event) { /* never */
    if (event) /* never true, never false */
        return 1;
    return 2;
}

static int idle(int event) {
    if (jobs != 0) /* never true */
        state = broken;
    if (event == 1) {
        jobs = 1;
        state = busy;
    }
    return 0;
}

static int busy(int event) {
    if (event == 2 && jobs < 3)
        jobs++;
    else if (event == 3)
        state = draining;
    if (jobs > 3) /* never true */
        bad = 1;
    return jobs;
}

static int draining(int event) {
    if (jobs == 0) /* never true */
        bad = 2;
    if (--jobs == 0)
        state = idle;
    return event;
}

int main(void) {
    int event;
    bw_int(&event, "event");
    while (event) {
        if (state(event) < 0) { /* can be: an event is any number */
            event = 0;
            continue;
        }
        if (bad) /* never true */
            return 1;
        bw_int(&event, "event");
    }
    return 0;
}
