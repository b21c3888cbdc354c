// A variadic function
// function: sum
// expect: branches=6/6 infeasible=0
#include <stdarg.h>

int sum(int count, ...)
{
    va_list list;
    long total = 0;
    if (count < 0 || count > 2)
        return -1;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        total += va_arg(list, long);
    va_end(list);
    return total == 1234567;
}
