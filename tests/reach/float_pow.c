// A power lies in a narrow band.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    double x;
    bw_double(&x, "x");
    if (x < 1 || x > 100)
        return 0;
    double v = pow(x, 3.5);
    if (v > 1000.0 && v < 1000.5)
        return 1; // target: reachable
    return 0;
}
