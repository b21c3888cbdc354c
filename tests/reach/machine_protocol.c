// A protocol: hello, login, three requests, goodbye.
// args: --stdin 16
#include <stdio.h>
#include "bothways.h"

enum { IDLE, HELLO, LOGIN, BUSY, DONE };

int main(void) {
    int state = IDLE, requests = 0, c;
    while ((c = getchar()) != EOF) {
        switch (state) {
        case IDLE: state = c == 'H' ? HELLO : IDLE; break;
        case HELLO: state = c == 'L' ? LOGIN : IDLE; break;
        case LOGIN: state = c == 'R' ? BUSY : c == 'H' ? HELLO : IDLE; break;
        case BUSY:
            requests++;
            state = c == 'Q' && requests == 4 ? DONE : c == 'R' ? BUSY : IDLE;
            break;
        default: return 0;
        }
        if (state == DONE)
            return 1; // target: reachable
    }
    return 0;
}
