// abort, a failed assertion and __builtin_trap: the program dies, and what it reached still counts.
// expect: branches=7/8 infeasible=1
// witness: 1
// witness: 77
// witness: 14
// witness: 1000
// witness: -5
#include <assert.h>
#include <stdlib.h>

#include "bothways.h"

static int checked(int x) {
    assert(x != 77); /* never true: the macro has the condition in a sizeof as well, which is not run */
    return x * 2;
}

int main(void) {
    int x;
    bw_int(&x, "x");
    if (x > 999)
        abort();
    int twice = checked(x);
    if (twice == 28)
        __builtin_trap();
    return twice < 0;
}
