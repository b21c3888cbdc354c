// Addresses that go through `...` are written to; so are structs that hold them.
// expect: branches=15/16 infeasible=1
// witness: -1 0
// witness: 3 0
// witness: 0 1
// witness: 0 5
// witness: 1 5
// witness: 2 5
#include "bothways.h"
#include <stdarg.h>

static void fill(int count, ...)
{
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++)
        *va_arg(list, int *) = i + 3;
    if (count > 1)
        *va_arg(copy, int *) = 9;
    va_end(copy);
    va_end(list);
}

int main(void)
{
    int count, x, first = 1, second = 1, third = 1;
    bw_int(&count, "count");
    bw_int(&x, "x");
    if (count < 0 || count > 2)
        return 0;
    fill(count, &first, &second);
    if (first == x)
        return 1;
    if (second == 4)
        return 2;
    if (third != 1) /* never true */
        return 3;
    if (first == 1)
        return 4;
    return 0;
}
