// A comparison that is passed in: a stub, NULL, or a function of the file
// function: position
// expect: branches=16/16 infeasible=0
#include <stddef.h>

typedef int (*compare_fn)(int, int);

static int by_size(int a, int b)
{
    return a < b ? -1 : a > b;
}

static int backwards(int a, int b)
{
    return by_size(b, a);
}

int position(const int *items, size_t count, int wanted, compare_fn compare)
{
    size_t low = 0, high = count;
    if (!items || count > 8)
        return -1;
    if (!compare)
        compare = by_size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(items[middle], wanted);
        if (order == 0)
            return (int)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return compare == backwards ? -3 : -2;
}
