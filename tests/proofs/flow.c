// args: --stdin 0..4
// branch: 25:13 true: 25:13 is never true
// branch: 32:5 true: 28:5 is never 5
// branch: 41:19 false: 41:19 is never false where control comes from 39:9 and 41:9 is false
// branch: 48:9 true: 48:9 is never true where 43:9 is false
// mcdc: 25:13 true: 25:13 is never true
// mcdc: 32:5 true: 28:5 is never 5
// mcdc: 41:9 decision false: 41:19 is never false where control comes from 39:9 and 41:9 is false
// mcdc: 41:9 independent: 41:19 is never false where control comes from 39:9 and 41:9 is false; only T- FT can happen
// mcdc: 41:19 false: 41:19 is never false where control comes from 39:9 and 41:9 is false
// mcdc: 41:19 independent: 41:19 is never false where control comes from 39:9 and 41:9 is false; only T- FT can happen
// mcdc: 48:9 true: 48:9 is never true where 43:9 is false
// What flows into variables on the ways to a condition: states of a loop, cases, messages.
#include <stdio.h>

static int walk(int a, int b)
{
    int n = 0, state = 0;
    for (int i = 0; i < b; i++) {
        if (i == 2)
            state = 1;
        else if (i == 3)
            state = 2;
        /* No way sets it to 7. */
        if (state == 7)
            n++;
    }
    switch (a & 3) {
    case 0:
        n++;
        break;
    case 5:
        n--;
        break;
    default:
        n += 2;
    }
    const char *message = NULL;
    if (a == 9)
        message = "nine";
    if (a != 9 || message)
        n++;
    if (a < 10)
        return n;
    n += 2;
    while (b-- > 0)
        n++;
    if (a == 4)
        n--;
    return n;
}

int main(void)
{
    int a = getchar(), b = getchar() & 7;
    return walk(a, b) > 100;
}
