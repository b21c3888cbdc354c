// Paper, Table 1: a loop of 1,024 turns with an accumulator, then a call of `sin`.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    int x;
    bw_int(&x, "x");
    double u;
    bw_double(&u, "u");
    int sum = 0;
    for (int i = 0; i < x; i++) {
        if (i % 2 == 0)
            sum += 3;
        else
            sum += 13;
    }
    if (sum == 8192)
        if (sin(u) > 0)
            return 1; // target: reachable
    return 0;
}
