// The compiler's own `setjmp` comes back as the C library's does: what was known where it was called may be otherwise.
// expect: branches=13/16 infeasible=0 open=3
// witness: 5
// witness: 9
// witness: 4
// witness: 3
// witness: 2
#include "bothways.h"

static void *place[5];
static int given, returns;

static void __attribute__((noinline)) leave(int x) {
    given = x;
    if (x > 3)
        __builtin_longjmp(place, 1);
    given = 9;
}

int main(void) {
    int x;
    bw_int(&x, "x");
    if (__builtin_setjmp(place)) {
        returns++;
        if (given == 5)
            return 7;
        if (given == 9)
            return 1;
        return returns == 1 ? 8 : 3; /* never false, but open */
    }
    if (given) /* never true, but open */
        return 5;
    leave(x);
    if (given == 5) /* never true, but open */
        return 6;
    return x == 3 ? 0 : 2;
}
