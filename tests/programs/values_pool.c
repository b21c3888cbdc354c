// A pool of two buffers with counts of those who use them: what is free has no user, and nobody is left out.
// expect: branches=17/22 infeasible=5
// witness: 1 1 2 2 3 5 0
#include "bothways.h"

struct buffer { unsigned char users, is_dirty; };
static struct buffer pool[2];
static int taken = -1;

static int take(void) {
    for (int i = 0; i < 2; i++) /* never false */
        if (pool[i].users == 0) { /* never false */
            pool[i].users = 1;
            return i;
        }
    return -1;
}

int main(void) {
    int command;
    bw_int(&command, "command");
    while (command) {
        if (command == 1 && taken < 0) {
            taken = take();
            if (taken < 0) /* never true: the other one is free */
                return 1;
        } else if (command == 2 && taken >= 0) {
            if (pool[taken].users > 1) /* never true */
                return 2;
            pool[taken].users = 0;
            taken = -1;
        } else if (command == 3) {
            if (taken > 1) /* never true */
                return 3;
        }
        bw_int(&command, "command");
    }
    return 0;
}
