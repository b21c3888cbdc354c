// Functions that nothing calls: an external one is compiled and its branches are goals; a static one is not compiled.
// expect: branches=2/4 infeasible=2
// witness: 1
// witness: 2
#include "bothways.h"

int uncalled(int x) {
    if (x > 3) /* never true, never false: nothing calls it */
        return 1;
    return 0;
}

__attribute__((unused)) static int dropped(int x) {
    if (x > 3) /* no goal: not compiled */
        return 1;
    return 0;
}

static int called(int x) {
    if (x & 1)
        return 1;
    return 0;
}

int main(void) {
    int x;
    bw_int(&x, "x");
    return called(x);
}
