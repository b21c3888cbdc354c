// A point on a circle around another point, by the square root of a sum of squares.
// args: 
#include <math.h>
#include "bothways.h"

int main(void) {
    double x, y;
    bw_double(&x, "x");
    bw_double(&y, "y");
    double d = sqrt((x - 3) * (x - 3) + (y + 1) * (y + 1));
    if (d > 4.999999 && d < 5.000001 && x > 6 && y > 1)
        return 1; // target: reachable
    return 0;
}
