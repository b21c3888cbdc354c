// Computed goto: an interpreter whose labels are in a table, one of which the program changes; a position is never beyond its code.
// expect: branches=12/14 infeasible=2
// witness: 0
// witness: -1
// witness: 1 5
// witness: 1 1 1 1
// witness: 1 1 1 0
// witness: 2 3
#include "bothways.h"

static int total;

static int run(int code)
{
    static void *table[3] = {&&stop, &&add, &&swap};
    int steps = 0;
next:
    if (steps++ > 3)
        return -1;
    if (code < 0 || code > 2)
        return -2;
    if (table[code] == 0) /* never true: it holds addresses of labels, which the model does not know */
        return -3;
    goto *table[code];
add:
    total++;
    bw_int(&code, "code");
    goto next;
swap:
    /* From now on the first label adds as well. */
    table[0] = &&add;
    bw_int(&code, "code");
    goto next;
stop:
    return steps;
}

int main(void)
{
    int code;
    bw_int(&code, "code");
    int steps = run(code);
    if (steps == 4)
        return 2;
    if (total > 2)
        return 1;
    if (steps == 7) /* never true */
        return 3;
    return 0;
}
