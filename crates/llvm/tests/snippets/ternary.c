// run:
// run: a
// run: a b
// run: a b c d
#include <stdio.h>
static int f(int a, int b, int c)
{
    int r = 0;
    if (a ? b : c) r++;
    if (a ? b && c : !c) r += 2;
    if ((a ? b : c) && (b ? c : a)) r += 4;
    while (a ? --b > 0 : c-- > 0) r += 8;
    r += a ? (b ? 1 : 2) : (c ? 3 : 4);
    r += a > b ? a > c ? a : c : b > c ? b : c;
    int x = a ? printf("x") : 2;
    int y = (a, b) ? 1 : 0;
    r += (a && b) ? x : y;
    r += (a || b) ? 1 : 0;
    r += !a ? 5 : 6;
    r += (a == 1 ? b : c) ? 1 : 2;
    r += a ? b ?: c : (c ?: b);
    double d = a ? 1.5 : 2.5;
    const char *s = b ? "b" : 0;
    return r + (d > 2 ? 1 : 2) + (s ? s[0] : 0) + (1 ? a : b) + (0 ? a : b);
}
int main(int argc, char **argv)
{
    int r = 0;
    for (int i = 0; i < 8; i++)
        r += f(i & argc, i & 2, argc - i);
    printf("%d\n", r);
    return 0;
}
