// Contexts: if, loops, switch, ?:, assignments, arguments, returns, initializers, indices.
#include "bothways.h"

static int twice(int x)
{
    return 2 * x;
}

static int shape(int which, int a, int b, int c)
{
    int r = 0, i;
    _Bool flag;
    int table[2] = {3, 4};
    switch (which) {
    case 0:
        if (a && b) // mcdc: 1 2
            r = 1;
        return r;
    case 1:
        if (a || b) // mcdc: 1 2
            r = 1;
        else
            r = 2;
        return r;
    case 2:
        for (i = 0; i < 3 && a != i; i++) // mcdc: 1 2
            r++;
        return r;
    case 3:
        i = 2;
        while (i > 0 && b != i) // mcdc: 1 2
            i--;
        return i;
    case 4:
        i = 0;
        do
            i++;
        while (i < 3 && (a == i || b == i)); // mcdc: 1 2 3
        return i;
    case 5:
        switch (a && b) { // mcdc: 1 2
        case 1: return 5;
        default: return 6;
        }
    case 6: return (a || b) ? 7 : 8; // mcdc: 1 2
    case 7:
        r = a && (b || c); // mcdc: 1 2 3
        return r;
    case 8: return twice(a || b); // mcdc: 1 2
    case 9: return table[a && b]; // mcdc: 1 2
    case 10:
        flag = a || b; // mcdc: 1 2
        return flag;
    case 11: return (a && b) + (b || c); // mcdc: 1 2; 1 2
    case 12:
        if (a) {
            if (b) // mcdc:
                r = 1;
        }
        return r;
    case 13:
        if (a)
            r = b && c; // mcdc: 1 2
        return r;
    case 14:
        r += a && b, r -= b || c; // mcdc: 1 2; 1 2
        return r;
    case 15:
        if (a && // mcdc: 1 2 3
            b && // a comment && an operator that is none
            c)
            r = 1;
        return r;
    case 16:
        if ((a && b)) goto end; // mcdc: 1 2
        r = 2;
    end:
        return r;
    case 17: return a ? b && c : b || c; // mcdc: 1 2; 1 2
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
