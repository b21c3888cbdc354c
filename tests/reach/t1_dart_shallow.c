// Paper, Table 1: a target in front of an external call, and one behind it.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    int x;
    bw_int(&x, "x");
    int y;
    bw_int(&y, "y");
    if (x == 2 * y - 7) {
        if (x > 90)
            y++; // target: reachable
        if ((int)(cos(x) * 1000) == y)
            return 1; // target: reachable
    }
    return 0;
}
