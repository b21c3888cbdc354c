// A root of a polynomial is hit up to a small rest.
// args: 
#include "bothways.h"

int main(void) {
    double x;
    bw_double(&x, "x");
    double v = x * x * x - 6 * x * x + 3 * x + 17;
    if (v > -1e-6 && v < 1e-6 && x > 2)
        return 1; // target: reachable
    return 0;
}
