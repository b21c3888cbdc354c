// A division by zero that an optimiser sees: what depends on it must not go, nor the crash.
// expect: branches=4/4 infeasible=0
// witness: 1
// witness: 7
// witness: 9
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    if (n == 7) {
        int zero = n - 7;
        return 1 / zero;
    }
    if (n == 9) {
        int zero = n - 9;
        return 5 % zero;
    }
    return 0;
}
