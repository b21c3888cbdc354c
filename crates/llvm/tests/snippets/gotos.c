// run:
// run: a
// run: a b c
// run: a b c d e
#include <stdio.h>
static int f(int n)
{
    int i = 0, r = 0;
again:
    if (i++ < n) {
        if (i == 3) goto skip;
        r += i;
        goto again;
    }
    if (n > 3) goto tail;
skip:
    r *= 2;
    while (r > 0) { r -= 3; if (r == 1) goto inner; }
    if (0) {
inner:
        r += 50;
        if (n == 3) r++;
    }
tail:
    return r;
}
static int computed(int n)
{
    static void *const table[] = { &&one, &&two, &&three };
    int r = 0;
    goto *table[n % 3];
one:
    r += 1;
    if (r > 5) goto out;
two:
    r += 2;
    if (n & 4) goto out;
three:
    r += 3;
    if (r < 9) goto *table[r % 3];
out:
    return r;
}
static int statement_expressions(int n)
{
    int r = ({ int t = n; if (t > 2) t *= 2; t; });
    if (({ int u = r; while (u > 3) u -= 2; u == 3; })) r++;
    return r + (({ n > 1 && r > 2; }) ? 1 : 0) + ({ switch (n) { case 1: r = 9; break; default: ; } r; });
}
int main(int argc, char **argv)
{
    printf("%d %d %d\n", f(argc), computed(argc), statement_expressions(argc));
    return 0;
}
