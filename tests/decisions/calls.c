// Calls within conditions: recursion, longjmp, callbacks. Each call has evaluations of its own.
#include "bothways.h"
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf out;

static int walk(int depth, int a)
{
    return depth > 0 && (walk(depth - 1, a) || a == depth); // mcdc: 1 2 3
}

static int leave(int a)
{
    if (a == 3)
        longjmp(out, 1);
    return a;
}

static int order(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return a != b && a > 2 ? 1 : -1; // mcdc: 1 2
}

static int shape(int which, int a, int b)
{
    int pair[2] = {a, b};
    switch (which) {
    case 0: return walk(2, a);
    case 1:
        if (setjmp(out))
            return 9;
        return leave(a) && b; // mcdc: 1 2
    case 2:
        qsort(pair, 2, sizeof *pair, order);
        return pair[0] == a && pair[1] > 5; // mcdc: 1 2
    default: return 0;
    }
}

int main(void)
{
    int which, a, b;
    bw_int(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    return shape(which, a, b);
}
