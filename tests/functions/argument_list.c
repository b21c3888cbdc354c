// A `va_list` as a parameter
// function: add
// expect: branches=6/6 infeasible=0
#include <stdarg.h>

static long add(int count, va_list list)
{
    long sum = 0;
    if (count > 3)
        return -1;
    while (count-- > 0)
        sum += va_arg(list, int);
    return sum == 4242 ? 1 : 0;
}
