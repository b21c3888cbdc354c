// In a comparison function that `qsort` gets from a variable.
#include <stdlib.h>

#include "bothways.h"

static int up(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x > 1000 && y < -1000)
        return 1;
    return x < y ? -1 : x > y;
}

static void sort(int *values, size_t count, int (*order)(const void *, const void *)) {
    qsort(values, count, sizeof *values, order);
}

int main(void) {
    int values[2], twice;
    bw_int(&values[0], "a");
    bw_int(&values[1], "b");
    bw_int(&twice, "twice");
    int (*order)(const void *, const void *) = up;
    if (twice == 1)
        values[0]++;
    if (twice == 2)
        values[1]++;
    sort(values, 2, order);
    return 0;
}
