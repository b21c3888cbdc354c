// Extensions of GNU C: statement expressions, typeof, and __builtin_expect.
// expect: branches=14/14 infeasible=0
// witness: 3 4
// witness: 100 4
// witness: -100 101
// witness: 7 7
// witness: 0 200
#include "bothways.h"

#define max(a, b)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(a) _a = (a);                                                                                        \
        __typeof__(b) _b = (b);                                                                                        \
        _a > _b ? _a : _b;                                                                                             \
    })
#define unlikely(x) __builtin_expect(!!(x), 0)

int main(void) {
    int x;
    long y;
    bw_int(&x, "x");
    bw_long(&y, "y");
    if (unlikely(max(x, y) == 100))
        return 1;
    int found = ({
        int i = 0;
        while (i < 3 && x != i * 7)
            i++;
        i;
    });
    if (found == 1)
        return 2;
    return y > 100 && found == 3;
}
