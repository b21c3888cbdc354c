// args: --stdin 0..6
// branch: 24:9 true: 24:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41)
// branch: 26:9 true: 26:9 is never true: {1, 2} there
// branch: 33:9 true: 33:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41)
// branch: 33:21 true: 33:21 is never true: {1, 2} there
// mcdc: 24:9 true: 24:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41)
// mcdc: 26:9 true: 26:9 is never true: {1, 2} there
// mcdc: 27:9 exit: 26:9 is never true: {1, 2} there
// mcdc: 33:9 true: 33:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41)
// mcdc: 33:9 decision true: 33:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41), 33:21 is never true: {1, 2} there; only FF can happen
// mcdc: 33:9 independent: 33:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41), 33:21 is never true: {1, 2} there; only FF can happen
// mcdc: 33:21 true: 33:21 is never true: {1, 2} there
// mcdc: 33:21 independent: 33:9 is never true: mode is {0, 1, 4} there (assigned at lines 28, 35, 41), 33:21 is never true: {1, 2} there; only FF can happen
// mcdc: 34:9 exit: it lies behind conditions that cannot hold
// Functions are called by their addresses, in any order, one of them by the C library: whoever comes first, a variable holds what some
// function writes there, and they get what all calls pass.
#include <stdio.h>
#include <stdlib.h>
static int mode; /* 0, 1, 4 */
static int count;

static void start(int by)
{
    if (mode == 2)
        count = 9;
    if (by > 3)
        count = 9;
    mode = 1;
}

static void jump(int by)
{
    if (mode > 4 || by < 1)
        count--;
    mode = 4;
}

static void stop(int by)
{
    count += by;
    mode = 0;
}

static void (*const acts[])(int) = {start, jump, stop};

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int order[] = {3, 1};
    qsort(order, 2, sizeof *order, compare);
    for (int i = 0; i < 4; i++) {
        int c = getchar();
        if (c == EOF)
            break;
        acts[(unsigned)c % 3](c < 64 ? 1 : 2);
    }
    return count > 4;
}
