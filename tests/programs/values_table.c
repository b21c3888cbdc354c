// A table of functions that its own functions change: an entry is called only when somebody has put it there.
// expect: branches=7/8 infeasible=1
// witness: 0 0 0
// witness: 1 1 1
// witness: 1 0 5
#include "bothways.h"

typedef int (*handler)(int);
static handler table[2];
static int level;

static int last(int x)
{
    if (level < 2) /* never true */
        return -1;
    return x > 4;
}

static int second(int x)
{
    level = 2;
    table[x & 1] = last;
    return 0;
}

static int first(int x)
{
    level = 1;
    if (x)
        table[0] = second;
    return 0;
}

int main(void)
{
    table[0] = table[1] = first;
    for (int i = 0; i < 3; i++) {
        int x;
        bw_int(&x, "x");
        if (table[0](x) > 0)
            return 1;
    }
    return 0;
}
