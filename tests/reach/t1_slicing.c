// Paper, Table 1: ten branches that do not matter in front of a dead one.
// args: 
#include "bothways.h"

int main(void) {
    int x[10];
    for (int i = 0; i < 10; i++)
        bw_int(&x[i], "x");
    int a = 0, y = 0;
    if (x[0] > 0)
        a += 1;
    else
        a -= 2;
    if (x[1] > 5)
        a += 2;
    else
        a -= 3;
    if (x[2] > 10)
        a += 3;
    else
        a -= 4;
    if (x[3] > 15)
        a += 4;
    else
        a -= 5;
    if (x[4] > 20)
        a += 5;
    else
        a -= 6;
    if (x[5] > 25)
        a += 6;
    else
        a -= 7;
    if (x[6] > 30)
        a += 7;
    else
        a -= 8;
    if (x[7] > 35)
        a += 8;
    else
        a -= 9;
    if (x[8] > 40)
        a += 9;
    else
        a -= 10;
    if (x[9] > 45)
        a += 10;
    else
        a -= 11;
    if (y == 1)
        return a; // target: unreachable
    return 0;
}
