// Variable arguments: integers and doubles in registers and on the stack, va_copy, and a forwarded va_list.
// expect: branches=12/12 infeasible=0
// witness: 10 3 1.5
// witness: 10 4 1.5
// witness: 0 0 0.0
// witness: 10 3 2.0
// witness: 7 100 5.0
// witness: 0 0 -1.0
// witness: 0 0 1000.0
// witness: 9 0 5.0
#include <stdarg.h>

#include "bothways.h"

static long total(const char *kinds, va_list args) {
    long sum = 0;
    for (; *kinds; kinds++)
        sum += *kinds == 'd' ? (long)(va_arg(args, double) * 2) : va_arg(args, int);
    return sum;
}

static long twice(const char *kinds, ...) {
    va_list first, second;
    va_start(first, kinds);
    va_copy(second, first);
    long sum = total(kinds, first) + total(kinds, second);
    va_end(second);
    va_end(first);
    return sum;
}

int main(void) {
    int a, b;
    double d;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_double(&d, "d");
    if (!(d >= 0 && d < 1000))
        return 1;
    if (twice("i", a) == 20 && twice("iiiiiiidi", 1, 1, 1, 1, 1, 1, b, d, b) == 30)
        return 2;
    return twice("dd", 1.0, d) == 24;
}
