// Operators: every tree of two and three conditions, and some larger ones.
#include "bothways.h"

static int shape(int which, int a, int b, int c, int d, int e)
{
    switch (which) {
    case 0: return a && b; // mcdc: 1 2
    case 1: return a || b; // mcdc: 1 2
    case 2: return a && b && c; // mcdc: 1 2 3
    case 3: return (a && b) || c; // mcdc: 1 2 3
    case 4: return a && (b || c); // mcdc: 1 2 3
    case 5: return (a || b) && c; // mcdc: 1 2 3
    case 6: return a || (b && c); // mcdc: 1 2 3
    case 7: return a || b || c; // mcdc: 1 2 3
    case 8: return (a && b) || (c && d); // mcdc: 1 2 3 4
    case 9: return (a || b) && (c || d); // mcdc: 1 2 3 4
    case 10: return a && (b || (c && d)); // mcdc: 1 2 3 4
    case 11: return ((a || b) && c) || d; // mcdc: 1 2 3 4
    case 12: return a && b && c && d && e; // mcdc: 1 2 3 4 5
    case 13: return (a || b || c) && (d || e); // mcdc: 1 2 3 4 5
    case 14: return !a && !b; // mcdc: 1 2
    case 15: return !a || (b && !!c); // mcdc: 1 2 3
    case 16: return !(a && b); // mcdc: 1 2
    case 17: return !(a && b) || c; // mcdc: 1 2 3 shape
    case 18: return a && !(b && c); // mcdc: 1 2 3 shape
    case 19: return !(a || b) && !(c || d); // mcdc: 1 2 3 4 shape
    case 20: return a > 3 && b < 3 && c != d; // mcdc: 1 2 3
    case 21: return (a & 1) && (b | c); // mcdc: 1 2
    case 22: return !a; // mcdc:
    default: return 0;
    }
}

int main(void)
{
    int which, a, b, c, d, e;
    bw_int(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    bw_int(&d, "d");
    bw_int(&e, "e");
    return shape(which, a, b, c, d, e);
}
