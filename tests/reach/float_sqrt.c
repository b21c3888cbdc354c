// A square root is a given distance away.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    double x;
    bw_double(&x, "x");
    double y;
    bw_double(&y, "y");
    if (x < 1 || x > 1e6 || y < 1 || y > 1e6)
        return 0;
    double d = sqrt(x * x + y * y);
    if (d > 499.999 && d < 500.001 && x > 300)
        return 1; // target: reachable
    return 0;
}
