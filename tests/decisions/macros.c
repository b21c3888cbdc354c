// Macros: decisions in their text, in their arguments, and around them.
#include "bothways.h"
#define WITHIN(x, low, high) ((x) >= (low) && (x) <= (high)) // mcdc: 1 2; 1 2
#define BOTH(p, q) ((p) && (q)) // mcdc: 1 2 3
#define DIGIT(x) WITHIN(x, '0', '9')
#define POSITIVE(x) ((x) > 0)
#define AND &&

static int shape(int which, int a, int b, int c)
{
    switch (which) {
    case 0: return POSITIVE(a) && POSITIVE(b); // mcdc: 1 2
    case 1: return a AND b; // mcdc: 1 2
    case 2: return a == 3 AND (POSITIVE(b) || c); // mcdc: 1 2 3
    default: return 0;
    }
}

static int expanded(int which, int a, int b, int c)
{
    switch (which) {
    case 3: return WITHIN(a, 3, 9);
    case 4: return BOTH(a, b || c);
    case 5: return DIGIT(a) ? 1 : 2;
    case 6: return DIGIT(a) || b; // mcdc: 1 2 3
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
    return which < 3 ? shape(which, a, b, c) : expanded(which, a, b, c);
}
