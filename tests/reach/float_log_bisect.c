// A logarithm of an integer is nearly a given number.
// args: --cflags -lm
#include <math.h>
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    if (n <= 0)
        return 0;
    double l = log(n);
    if (l > 13.8155 && l < 13.8156)
        return 1; // target: reachable
    return 0;
}
