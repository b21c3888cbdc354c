// run:
// run: a
// run: a b
// run: a b c d e f g h
#include <stdio.h>
static int nested(int a, int b, int c)
{
    int r = 0;
    if (a) r = 1; else r = 2;
    if (a > 1) { if (b) { if (c) r++; } else r--; }
    if (!a) r += 10;
    if (!(a && b)) r += 100;
    if (a == 1 || b == 1 || c == 1) r += 7;
    if ((a || b) && (b || c) && !(a > 100)) r += 3;
    if (a) { } else { r++; }
    if (a) ; 
    if (b) { r++; } else { }
    return r;
}
static int values(int a, int b)
{
    int x = a && b;
    int y = a || b;
    int z = !a;
    int w = !!(a && !b) + (x || (y && z));
    int v = (a > 3) + (b != 2);
    _Bool q = a;
    return x + 2 * y + 4 * z + w + v + (q && x) + (a ? b : 3) + (b ? 1 : 2) + (a ?: 9);
}
int main(int argc, char **argv)
{
    int s = 0;
    for (int i = 0; i < argc; i++)
        s += nested(i, argc - i, argc & 1) + values(i, argc);
    printf("%d\n", s);
    return 0;
}
