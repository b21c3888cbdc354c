// && and ||: what is on the right happens only when it has to; also where only the value is wanted.
// expect: branches=24/24 infeasible=0
// witness: 1 5 0
// witness: 0 5 0
// witness: 2 10 3
// witness: 0 0 3
// witness: 1 1 -3
// witness: 3 0 9
// witness: -1 0 0
#include "bothways.h"

static int calls;

static int counted(int result) {
    calls++;
    return result;
}

int main(void) {
    int a, b, c;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    if (a && counted(b > 4))
        c++;
    if (a == 2 || (b < 1 && counted(c == 3)) || c == -3)
        b = 0;
    int both = (a > 0) && (b > 0), one = a < 0 || both;
    if (!(one || calls == 2))
        return 1;
    return calls;
}
