// Conditions that are not comparisons: numbers, pointers, assignments, commas, negations, and none at all.
// expect: branches=20/20 infeasible=0
// witness: 4 1
// witness: 0 0
// witness: -1 2
// witness: 1 0
// witness: 12 5
// witness: 2 3
// witness: 0 1
// witness: 12 4
// witness: 1 1
// witness: 4 4
#include "bothways.h"

static int half(int x) {
    return x / 2;
}

int main(void) {
    int x, y, z, turns = 0;
    unsigned char choice;
    bw_int(&x, "x");
    bw_uchar(&choice, "choice");
    int *pointer = choice % 2 ? &x : 0;
    if (!x)
        return pointer ? 1 : 2;
    if ((y = half(x)) && pointer)
        turns++;
    if (z = y - 1, z == 5)
        return 3;
    for (;;) {
        if (!!(choice & 4))
            break;
        if (++turns == 3)
            break;
    }
    while (choice--)
        if (turns++ > 4)
            return 4;
    return 0;
}
