// Two lights that take turns: never both green, never yellow for longer than two ticks.
// expect: branches=16/20 infeasible=4
// witness: 1 1 1 1 1 1 1 1 1 1 1 1 0
#include "bothways.h"

enum { RED, GREEN, YELLOW };
static int north = GREEN, east = RED, ticks;

static void turn(int *mine, int *other) {
    if (*mine == GREEN) {
        *mine = YELLOW;
        ticks = 0;
    } else if (*mine == YELLOW) { /* never false */
        if (++ticks == 2) {
            *mine = RED;
            *other = GREEN;
        } else if (ticks > 2) { /* never true */
            *mine = 7;
        }
    }
}

int main(void) {
    int button;
    bw_int(&button, "button");
    while (button) {
        if (north != RED)
            turn(&north, &east);
        else
            turn(&east, &north);
        if (north == GREEN && east == GREEN) /* the second is never true */
            return 1;
        if (north == RED && east == RED) /* the second is never true */
            return 2;
        bw_int(&button, "button");
    }
    return 0;
}
