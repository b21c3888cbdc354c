// Nested: decisions within conditions of others, which clang does not instrument.
#include "bothways.h"

static int same(int x)
{
    return x;
}

static int more(int x)
{
    return x > 5 && x < 50; // mcdc: 1 2
}

static int shape(int which, int a, int b, int c, int d)
{
    int r = 0;
    switch (which) {
    case 0:
        if (a && same(b || c)) // mcdc: 1 2 shape; 1 2 shape
            r = 1;
        return r;
    case 1: return ((a && b) == c) && d; // mcdc: 1 2 shape; 1 2 shape
    case 2: return a || same(b && same(c || d)); // mcdc: 1 2 shape; 1 2 shape; 1 2 shape
    case 3: return (a ? b : c) && d; // mcdc: 1 2
    case 4: return more(a) && more(b); // mcdc: 1 2
    case 5:
        while (b > 0 && !(a == b || c == b)) // mcdc: 1 2 3 shape
            b = b > 3 ? 3 : b - 1;
        return b;
    case 6:
        if (!(a && b) && (c || d)) // mcdc: 1 2 3 4 shape
            r = 2;
        return r;
    case 7: return same(a && b) || same(c && d); // mcdc: 1 2 shape; 1 2 shape; 1 2 shape
    default: return 0;
    }
}

int main(void)
{
    int which, a, b, c, d;
    bw_int(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    bw_int(&d, "d");
    return shape(which, a, b, c, d);
}
