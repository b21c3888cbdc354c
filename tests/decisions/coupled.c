// Coupled: conditions over the same values, so that some pairs do not exist; a condition that is never finished.
#include "bothways.h"
#include <stdlib.h>

static int shape(int which, int a, int b)
{
    switch (which) {
    case 0: return a > 5 && a > 3; // mcdc: 1 2!
    case 1: return a == 1 || a == 2; // mcdc: 1 2
    case 2: return (a > 0 && b > 0) || (a > 0 && b < -9); // mcdc: 1 2 3! 4
    case 3: return a == b || (a < b && b > a); // mcdc: 1 2 3!
    case 4: return a < 10 && a > 20; // mcdc: 1! 2!
    case 5: return a && (b != 7 || (exit(4), 1)); // mcdc: 1 2! 3!
    default: return 0;
    }
}

int main(void)
{
    int which, a, b;
    bw_int(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    return shape(which, a, b);
}
