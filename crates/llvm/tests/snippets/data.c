// run:
// run: a bb
// run: a bb ccc
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct point { short x, y; };
struct item { const char *name; int (*action)(int); struct point at; unsigned flags : 3, more : 5; long double weight; };
static int twice(int n) { return n > 100 ? n : 2 * n; }
static int zero(int n) { (void)n; return 0; }
static const struct item items[] = { { "one", twice, { 1, -2 }, 3, 9, 1.5L }, { "two", zero, { 3, 4 }, 1, 2, 2 } };
static const char *last = &"two"[1];
static char text[16] = "hello";
static long difference = (long)&items[1].at;
static _Thread_local int counter = 7;
extern int weak_one(int) __attribute__((weak));
int strong(int n) { return n + 1; }
extern int alias_of_strong(int) __attribute__((alias("strong")));
static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) total += i & 1 ? (int)va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return total;
}
static struct point move(struct point p, int by) { if (by) p.x += by; return p; }
static int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return n > 2 ? a[2] : a[0]; }
int main(int argc, char **argv)
{
    int r = items[argc % 2].action(argc) + sum(4, 1, 2.0, 3, 4.5) + move(items[0].at, argc - 1).x + vla(argc);
    if (last && text[argc] && strcmp(argv[0], "x")) r++;
    if (weak_one) r += weak_one(r);
    __int128 wide = (__int128)argc << 70;
    double d = argc * 0.5;
    float s = d > 1 ? 0.25f : -1.0f;
    r += (int)(wide >> 69) + (int)(d * s) + alias_of_strong(r) + (difference != 0) + __builtin_popcount(r) + counter++;
    r += __builtin_add_overflow(r, argc, &r) ? 1 : 2;
    memset(text, argc, sizeof text);
    memcpy(text + 1, "abc", 3);
    printf("%d %s\n", r, (char *)-1 == argv[0] ? "never" : text + 1);
    return 0;
}
