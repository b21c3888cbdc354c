// Paper, Table 1: only the smallest integer is its own negative.
// args: 
#include "bothways.h"

int main(void) {
    int x;
    bw_int(&x, "x");
    if ((unsigned)x == -(unsigned)x)
        if (x != 0)
            return 1; // target: reachable
    return 0;
}
