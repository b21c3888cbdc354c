// run:
// run: a
// run: a b
// run: a b c d e f g h i j
#include <stdio.h>
#include <ctype.h>
#define BIG(x) ((x) > 10 && (x) < 100)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CLAMP(x, l, h) MIN(MAX(x, l), h)
#define SWAP(a, b) do { if ((a) != (b)) { int t = a; a = b; b = t; } } while (0)
#define FOR_EACH(i, n) for (int i = 0; i < (n); i++)
#define CHECK(c) do { if (!(c)) { bad++; } } while (0)
#define EITHER(a, b) (BIG(a) || BIG(b))
#define CASES case 1: case 2
#define RETURN_IF(c) if (c) return __LINE__
#define ID(x) x
#define STMT(x) ({ int t_ = (x); t_ > 2 ? t_ : 2; })
static int bad;
static int f(int a, int b)
{
    CHECK(a > 0 && b > 0);
    CHECK(BIG(a));
    SWAP(a, b);
    if (EITHER(a, b)) a++;
    if (ID(a == 3)) b++;
    if (ID(ID(a) && ID(b))) b += 2;
    FOR_EACH(i, a) { if (BIG(i * b)) b--; FOR_EACH(j, 2) bad += j; }
    switch (a) { CASES: b++; break; default: b = MAX(b, 2); }
    RETURN_IF(b == 77);
    while (ID(b > 5)) b -= 3;
    return CLAMP(a, b, 10) + STMT(b) + (ID(a) ? 1 : 2) + (a && ID(b)) + MAX(MAX(a, 3), MIN(b, 4));
}
int main(int argc, char **argv)
{
    int r = isalpha(argc + 60) ? 1 : 0;
    for (int i = 0; i < argc; i++)
        r += f(i * 5, argc - i);
    printf("%d %d\n", r, bad);
    return 0;
}
