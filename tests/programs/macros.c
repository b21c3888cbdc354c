// Conditions in macros: each expansion counts, and so does a macro in a macro.
// expect: branches=18/18 infeasible=0
// witness: 5 3
// witness: 3 5
// witness: 50 -1
// witness: -50 -1
// witness: 4 4
// witness: 4 99
// witness: 4 -99
// witness: 4 3
#include "bothways.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define IS_SMALL(x) ((x) > -10 && (x) < 10)
#define BOTH_SMALL(x, y) (IS_SMALL(x) && IS_SMALL(y))
#define CHECK(condition, code)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return (code);                                                                                             \
    } while (0) /* folded */

static inline int largest(int a, int b, int c) {
    return MAX(MAX(a, b), c);
}

int main(void) {
    int x, y;
    bw_int(&x, "x");
    bw_int(&y, "y");
    CHECK(BOTH_SMALL(x, y), 1);
    CHECK(largest(x, y, 4) != 4, 2);
    return MAX(x, y) == 5;
}
