// args: --stdin 0..4
// branch: 22:13 true: 22:13 is never true
// branch: 29:5 true: 25:5 is never 5
// branch: 38:19 false: 38:19 is never false where control comes from 36:9 and 38:9 is false
// branch: 45:9 true: 45:9 is never true where 40:9 is false
// mcdc: 22:13 independent: 22:13 is never true
// mcdc: 38:9 independent: 38:19 is never false where control comes from 36:9 and 38:9 is false; only T- FT can happen
// mcdc: 38:19 independent: 38:19 is never false where control comes from 36:9 and 38:9 is false; only T- FT can happen
// mcdc: 45:9 independent: 45:9 is never true where 40:9 is false
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
