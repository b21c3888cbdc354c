// An exponential outgrows a line, and not too far.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    double x;
    bw_double(&x, "x");
    if (x < 0 || x > 50)
        return 0;
    if (exp(x) > 1000 * x && exp(x) < 1000 * x + 50)
        return 1; // target: reachable
    return 0;
}
