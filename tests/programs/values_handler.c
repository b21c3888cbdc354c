// Signals come at any time and set a flag; commands change a state that no handler knows. The order of writes is not known, what is
// written is.
// expect: branches=15/18 infeasible=3
// witness: 1 2 3 0
// witness: 3 1 1 2 0
// witness: 1 1 1 2 0
#include "bothways.h"
#include <signal.h>

enum { IDLE, BUSY, DONE, BROKEN = 17 };
static volatile sig_atomic_t is_asked;
static int state, jobs[4];

static void ask(int number) {
    (void)number;
    is_asked = 1;
}

static int next(int now) {
    if (now == BROKEN) /* never true */
        return IDLE;
    return now == IDLE ? BUSY : now == BUSY ? DONE : IDLE;
}

int main(void) {
    int command, rounds = 0;
    signal(SIGUSR1, ask);
    bw_int(&command, "command");
    while (command) {
        if (command == 1)
            state = next(state);
        else if (command == 2)
            raise(SIGUSR1);
        else
            jobs[rounds & 3] = state;
        if (is_asked)
            rounds++;
        if (state > DONE) /* never true */
            return 1;
        if (jobs[command & 3] == BROKEN) /* never true */
            return 2;
        bw_int(&command, "command");
    }
    return 0;
}
