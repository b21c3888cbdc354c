// The client's side: it tries three times at most, and remembers why it gave up.
// expect: branches=24/30 infeasible=6
// witness: 1 1 2 1 0
// witness: 1 5 1 5 1 5 1 1 0
// witness: 1 1 3 0
#include "bothways.h"

enum { IDLE, SENT, WAITING, DONE, FAILED };

static int state, tries, reason;

static int send_hello(void) {
    if (tries >= 3) {
        reason = 1;
        return FAILED;
    }
    tries++;
    return SENT;
}

static void receive(int answer) {
    switch (state) { /* the default: never true */
    case IDLE:
        state = send_hello();
        break;
    case SENT:
        if (tries == 0) /* never true */
            reason = 7;
        state = answer == 1 ? WAITING : IDLE;
        break;
    case WAITING:
        if (answer == 2)
            state = DONE;
        else
            state = send_hello();
        break;
    case DONE:
        tries = 0;
        state = IDLE;
        break;
    case FAILED:
        if (reason != 1) /* never true */
            state = 9;
        if (tries < 3) /* never true */
            state = 10;
        break;
    }
}

int main(void) {
    int answer;
    bw_int(&answer, "answer");
    while (answer) {
        receive(answer);
        if (state > FAILED || state < IDLE) /* never true, and never true */
            return 1;
        bw_int(&answer, "answer");
    }
    return tries > 3; 
}
