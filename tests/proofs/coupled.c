// args: --stdin 0..4
// branch: 26:18 false: 26:18 is never false where 26:9 is true
// branch: 28:21 false: 28:21 is never false where 28:9 is true
// branch: 32:13 true: 32:13 is never true where control comes from 30:9
// branch: 37:9 false: 37:9 is never false where 35:9 is true
// branch: 39:29 false: 39:29 is never false where 39:9 is false
// branch: 41:9 false: 41:9 is never false
// mcdc: 26:18 independent: 26:18 is never false where 26:9 is true; only F- TT can happen
// mcdc: 28:21 independent: 28:21 is never false where 28:9 is true; only F-- TTF TTT can happen
// mcdc: 32:13 independent: 32:13 is never true where control comes from 30:9
// mcdc: 37:9 independent: 37:9 is never false where 35:9 is true; only TF TT can happen
// mcdc: 39:9 independent: 39:29 is never false where 39:9 is false; only T-- FT- FFT can happen
// mcdc: 39:19 independent: 39:29 is never false where 39:9 is false; only T-- FT- FFT can happen
// mcdc: 39:29 independent: 39:29 is never false where 39:9 is false; only T-- FT- FFT can happen
// mcdc: 41:9 independent: 41:9 is never false
// Conditions that are tied to each other, within a decision and by those in front of it.
#include <stdio.h>

struct pair {
    int x, y;
};

static int count(struct pair *p, int a, int b)
{
    int n = 0;
    if (a > 5 && a > 3)
        n++;
    if (p->x > 0 && p->x > -1 && b)
        n++;
    if (a == 3 || a == 4) {
        n++;
        if (a > 9)
            n += 3;
    }
    if (!b)
        return n;
    if (b && a > 1)
        n += 2;
    if (b == 1 || b == 2 || b != 1)
        n += 5;
    if ((unsigned char)a < 256)
        n++;
    return n;
}

int main(void)
{
    struct pair p = {getchar(), getchar()};
    int a = getchar(), b = getchar() & 7;
    return count(&p, a, b) > 100;
}
