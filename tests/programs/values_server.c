// A server with a table of clients: whoever is served is in the table, and has the credit that is taken from it.
// expect: branches=24/30 infeasible=6
// witness: 1 5 1 50 1 60 1 70 1 80 2 -1 2 9 2 0 100 2 0 0 3 0
#include "bothways.h"

#define ROOM 4

static unsigned credits[ROOM];
static int count;

static int find(unsigned most) {
    int found = -1;
    for (int i = 0; i < count; i++) {
        if (i >= count) /* never true */
            return -2;
        if (credits[i] <= most)
            found = i;
    }
    return found;
}

int main(void) {
    int command, who;
    unsigned amount;
    bw_int(&command, "command");
    while (command) {
        if (command == 1) {
            bw_uint(&amount, "amount");
            if (count < ROOM)
                credits[count++] = amount;
        } else if (command == 2) {
            bw_int(&who, "who");
            if (who >= 0 && who < count) {
                if (count <= who) /* never true */
                    return 1;
                if (count == 0) /* never true */
                    return 2;
                bw_uint(&amount, "amount");
                if (who == count) /* never true: nothing was written to either */
                    return 3;
                unsigned left = credits[who];
                if (amount > left)
                    amount = left;
                else if (left < amount) /* never true */
                    return 4;
                credits[who] = left - amount;
            }
        } else {
            who = find(7);
            if (who == -2) /* never true */
                return 5;
        }
        bw_int(&command, "command");
    }
    return 0;
}
