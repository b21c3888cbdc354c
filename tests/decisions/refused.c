// Decisions in the text of macros that clang does not instrument: where they are expanded all branches stand at one place.
#include "bothways.h"
#define NEITHER(p, q, r) (!((p) || (q)) && (r)) // mcdc: 1 2 3 shape
#define WITHIN(x, f) ((x) > 0 && f((x) < 9 || (x) == 20)) // mcdc: 1 2 shape; 1 2 shape
#define MINUS(x) (!((x) && (x) < 5) || (x) > 100)
#define EITHER(a, b, c) do { if (!((a) && (b)) || (c)) result += 1; if (a) result += 2; } while (0) // mcdc: 1 2 3 shape

static int same(int x)
{
    return x;
}

static int shape(int which, int a, int b, int c)
{
    int result = 0;
    switch (which) {
    case 0: return NEITHER(a, b, c);
    case 1: return WITHIN(a, same);
    case 2: return b && MINUS(a); // mcdc: 1 2 3 4! shape
    case 3: EITHER(a, b, c); return result;
    case 4: return a && b; // mcdc: 1 2
    default: return 0;
    }
}

int main(void)
{
    int which, a, b, c;
    bw_int(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    return shape(which, a, b, c);
}
