// switch with fall-through, an explicit default in the middle, and a break in an if.
// expect: branches=18/18 infeasible=0
// witness: 0
// witness: 1
// witness: 2
// witness: 3
// witness: 9
// witness: 4
// witness: -1
#include "bothways.h"

int main(void) {
    int command, level = 0;
    bw_int(&command, "command");
    switch (command) {
    case 3:
        level += 100;
        /* fall through */
    case 2:
        level += 10;
        if (level > 100)
            break;
        /* fall through */
    case 1:
        level += 1;
        break;
    default:
        level = -1;
        if (command < 0)
            break;
        /* fall through */
    case 0:
        level--;
    }
    if (level == 11)
        return 1;
    return level == -2 ? 2 : 3;
}
