// Enumerations: a vending machine whose events arrive one by one.
// expect: branches=25/26 infeasible=1
// witness: 0 0 1
// witness: 0 1 2
// witness: 2 1 0
// witness: 0 0 0
// witness: 1 2 0
// witness: 5 1 1
// witness: 0 2 1
// witness: -1 0 0
// witness: 1 0 0
// witness: 0 0 2
#include "bothways.h"

enum state { IDLE, PAID, OPEN, BROKEN };
enum event { COIN, BUTTON, KICK };

static enum state step(enum state state, enum event event) {
    switch (state) { /* never true: no other state, so no implicit default */
    case IDLE:
        return event == COIN ? PAID : event == KICK ? BROKEN : IDLE;
    case PAID:
        if (event == COIN)
            return OPEN;
        return event == BUTTON ? IDLE : PAID;
    case OPEN:
        return event == BUTTON ? IDLE : OPEN;
    case BROKEN:
        break;
    }
    return BROKEN;
}

int main(void) {
    enum state state = IDLE;
    for (int i = 0; i < 3; i++) {
        int event;
        bw_int(&event, "event");
        if (event < COIN || event > KICK)
            return 9;
        state = step(state, (enum event)event);
    }
    return state == OPEN;
}
