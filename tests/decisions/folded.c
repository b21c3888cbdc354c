// Folded: constants among the conditions.
#include "bothways.h"
enum { ON = 1, OFF = 0 };

static int shape(int which, int a, int b)
{
    switch (which) {
    case 0: return a && b && ON; // mcdc: 1 2 3-
    case 1: return ON && a && b; // mcdc: 1- 2 3
    case 2: return a || OFF || b; // mcdc: 1 2- 3
    case 3: return (a && ON) || b; // mcdc: 1 2- 3
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
