// `long double`: arithmetic in 80 bits, conversions, structs, arguments and variable arguments that hold it.
// expect: branches=22/22 infeasible=0
// witness: 2.5 0 0
// witness: 0.125 9 0
// witness: 0.125 8 0
// witness: 0 3705 0
// witness: 19.25 0 0
// witness: -17.25 0 0
// witness: 41.5 0 0
// witness: 0 0 18446744073709551615
// witness: nan 0 0
// witness: 3 4 9223372036854775809
// witness: 1 1 1
#include <math.h>
#include <stdarg.h>

#include "bothways.h"

struct pair {
    long double a;
    int b;
};

static struct pair make(long double a, int b) {
    struct pair p = {a, b};
    return p;
}

static long double last(int count, ...) {
    long double result = 0;
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        result = va_arg(list, long double);
    va_end(list);
    return result;
}

int main(void) {
    double d;
    int i;
    unsigned long u;
    bw_double(&d, "d");
    bw_int(&i, "i");
    bw_ulong(&u, "u");
    long double x = d, y = i, z = u;
    struct pair p = make(x, i);
    if (x * x == 6.25L)
        return 1;
    if (p.a == 0.125L && p.b == 9)
        return 2;
    if (y / 3.0L == 1235.0L)
        return 3;
    if ((int)(x * 4.0L) == 77)
        return 4;
    if (-x == 17.25L)
        return 5;
    if (floorl(x) == 41.0L)
        return 6;
    /* 2^64 - 1 is a long double, but no double. */
    if (z == 18446744073709551615.0L)
        return 7;
    if (isnan(x))
        return 8;
    if (last(2, x, z) == 9223372036854775809.0L)
        return 9;
    return 0;
}
