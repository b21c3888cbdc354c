// Functions of the program with names of the C library: they are called, whatever an optimiser knows of such names (gcc's 960909-1.c).
// expect: branches=10/10 infeasible=0
// witness: 0 0
// witness: 8 300
// witness: 3 53
// witness: 3 100
#include "bothways.h"

int ffs(int x)
{
    int bit = 1;
    if (x == 0)
        return 0;
    for (int mask = 1; !(x & mask); mask <<= 1)
        bit++;
    return bit;
}

int isdigit(int c)
{
    if (c == 300) /* not the C library's */
        return 1;
    return c >= '0' && c <= '9';
}

int main(void)
{
    unsigned char x;
    short y;
    bw_uchar(&x, "x");
    bw_short(&y, "y");
    return ffs(x) + isdigit(y);
}
