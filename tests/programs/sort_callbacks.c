// qsort and bsearch: the C library calls back into the program.
// expect: branches=11/12 infeasible=1
// witness: 3 1 2 2
// witness: 1 1 1 1
// witness: 9 -5 9 4
// witness: 30 20 10 20
// witness: 1 2 3 1
#include <stdlib.h>

#include "bothways.h"

static int compare(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    if (a < b)
        return -1;
    return a > b;
}

int main(void) {
    int values[3], wanted;
    for (int i = 0; i < 3; i++)
        bw_int(&values[i], "value");
    bw_int(&wanted, "wanted");
    qsort(values, 3, sizeof *values, compare);
    if (values[0] > values[1]) /* never true: sorted */
        return 1;
    int *found = bsearch(&wanted, values, 3, sizeof *values, compare);
    if (!found)
        return 2;
    if (found == values + 1 && values[2] - values[0] == 20)
        return 3;
    return 0;
}
