// Structs as variable arguments: in registers, by value on the stack, aligned as two words, and behind others that are on the stack.
// expect: branches=20/20 infeasible=0
// witness: 0 0 0 0 0 0
// witness: 4100041 0 0 0 0 0
// witness: 0 0 4200042 0 0 0
// witness: 0 4300043 0 0 0 0
// witness: 0 4400044 0 0 0 0
// witness: 0 0 0 4500045 0 0
// witness: 0 0 0 0 4600046 0
// witness: 0 0 0 0 0 24747
// witness: 0 0 0 0 0 4800048
// witness: 5000050 0 0 0 0 0
// witness: 5000050 0 0 0 5100051 0
#include <stdarg.h>

#include "bothways.h"

/* Only a solver finds x. */
#define IS(x, n) ((unsigned)(x) * 2654435761u == n * 2654435761u)

struct big { int a[5]; int c; };
struct small { int x, y; };
struct mixed { long a; double d; };
struct odd { short c[3]; };
struct aligned { long double d; int c; };

struct seen { struct big big, again; struct small small; struct mixed mixed; struct odd odd; struct aligned aligned; int last; };

static struct seen seen;

static void see(int first, ...)
{
    va_list list;
    va_start(list, first);
    seen.big = va_arg(list, struct big);
    seen.small = va_arg(list, struct small);
    seen.mixed = va_arg(list, struct mixed);
    seen.odd = va_arg(list, struct odd);
    first += va_arg(list, int);
    first += va_arg(list, int);
    seen.again = va_arg(list, struct big);
    seen.aligned = va_arg(list, struct aligned);
    seen.last = va_arg(list, int);
    va_end(list);
}

int main(void)
{
    int a, b, c, d, e, f;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    bw_int(&d, "d");
    bw_int(&e, "e");
    bw_int(&f, "f");
    struct big big = {{1, 2, 3, 4, a}, b}, again = {{5, c}, a};
    struct small small = {d, e};
    struct mixed mixed = {e, 2.5};
    struct odd odd = {{1, 2, (short)f}};
    struct aligned aligned = {1.5L, b + 2};
    see(1, big, small, mixed, odd, 2, 3, again, aligned, f);
    if (IS(seen.big.a[4], 4100041u))
        return 1;
    if (IS(seen.again.a[1], 4200042u))
        return 2;
    if (IS(seen.aligned.c, 4300045u))
        return 3;
    if (IS(seen.big.c, 4400044u))
        return 4;
    if (IS(seen.small.x, 4500045u))
        return 5;
    if (IS(seen.mixed.a, 4600046u))
        return 6;
    if (IS(seen.odd.c[2], 24747u))
        return 7;
    if (IS(seen.last, 4800048u))
        return 8;
    return IS(seen.again.c, 5000050u) && IS(seen.small.y, 5100051u);
}
