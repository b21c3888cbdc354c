// args: --stdin 0..4
// branch: 31:18 false: 31:18 is never false where 31:9 is true
// branch: 33:21 false: 33:21 is never false where 33:9 is true
// branch: 37:13 true: 37:13 is never true where control comes from 35:9
// branch: 42:9 false: 42:9 is never false where 40:9 is true
// branch: 44:29 false: 44:29 is never false where 44:9 is false
// branch: 46:9 false: 46:9 is never false
// mcdc: 31:18 false: 31:18 is never false where 31:9 is true
// mcdc: 31:18 independent: 31:18 is never false where 31:9 is true; only F- TT can happen
// mcdc: 33:21 false: 33:21 is never false where 33:9 is true
// mcdc: 33:21 independent: 33:21 is never false where 33:9 is true; only F-- TTF TTT can happen
// mcdc: 37:13 true: 37:13 is never true where control comes from 35:9
// mcdc: 42:9 false: 42:9 is never false where 40:9 is true
// mcdc: 42:9 independent: 42:9 is never false where 40:9 is true; only TF TT can happen
// mcdc: 44:9 decision false: 44:29 is never false where 44:9 is false
// mcdc: 44:9 independent: 44:29 is never false where 44:9 is false; only T-- FT- FFT can happen
// mcdc: 44:19 independent: 44:29 is never false where 44:9 is false; only T-- FT- FFT can happen
// mcdc: 44:29 false: 44:29 is never false where 44:9 is false
// mcdc: 44:29 independent: 44:29 is never false where 44:9 is false; only T-- FT- FFT can happen
// mcdc: 46:9 false: 46:9 is never false
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
