// run:
// run: a
#include <stdio.h>
static const int limit = 4;
static int f(int a)
{
    int r = 0;
    if (0) r = 1;
    if (1) r = 2; else r = 3;
    if (sizeof(int) == 4 && a) r++;
    if (a && 0) r++;
    if (a || 1) r++;
    if (0 || a) r++;
    if (a && sizeof(long) == 8) r += 2;
    while (0) r++;
    do r++; while (0);
    for (; 1;) { if (r++ > 9) break; }
    int x = 1 && a, y = a || 0, z = !0 && a;
    if (limit > 3) r++;
    if (!"s") r++;
    if (&r) r++;
    r += 0 ? a : 4;
    if (0) { if (a) r++; else r--; }
    return r + x + y + z;
    if (a) r++;
    while (a) a--;
    return 3;
}
static int after(int a)
{
    goto end;
    if (a) return 3;
end:
    if (a > 5) return 4;
    for (;;) { if (a++ > 3) return a; }
}
int main(int argc, char **argv)
{
    printf("%d %d\n", f(argc - 1), after(argc));
    return 0;
}
