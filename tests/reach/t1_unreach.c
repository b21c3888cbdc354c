// Paper, Table 1: eleven independent branches in front of an impossible one.
// args: 
#include "bothways.h"

int main(void) {
    int x[11];
    for (int i = 0; i < 11; i++)
        bw_int(&x[i], "x");
    int y = 0;
    if (x[0] > 0)
        y += 1;
    else
        y += 2;
    if (x[1] > 7)
        y += 1;
    else
        y += 2;
    if (x[2] > 14)
        y += 1;
    else
        y += 2;
    if (x[3] > 21)
        y += 1;
    else
        y += 2;
    if (x[4] > 28)
        y += 1;
    else
        y += 2;
    if (x[5] > 35)
        y += 1;
    else
        y += 2;
    if (x[6] > 42)
        y += 1;
    else
        y += 2;
    if (x[7] > 49)
        y += 1;
    else
        y += 2;
    if (x[8] > 56)
        y += 1;
    else
        y += 2;
    if (x[9] > 63)
        y += 1;
    else
        y += 2;
    if (x[10] > 70)
        y += 1;
    else
        y += 2;
    if (y > 0)
        if (y == 0)
            return 1; // target: unreachable
    return 0;
}
