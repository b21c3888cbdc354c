// Two-dimensional arrays: rows and columns at symbolic indices, and a walk over the diagonal.
// expect: branches=12/12 infeasible=0
// witness: 1 2 -6
// witness: 2 0 4
// witness: 0 0 -5
// witness: 0 3 0
// witness: 3 0 0
// witness: 2 2 0
// witness: 2 2 2
#include "bothways.h"

static int trace(int m[3][3]) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += m[i][i];
    return sum;
}

int main(void) {
    int m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    unsigned char row, column;
    int change;
    bw_uchar(&row, "row");
    bw_uchar(&column, "column");
    bw_int(&change, "change");
    if (row >= 3 || column >= 3)
        return 1;
    m[row][column] += change;
    if (m[1][2] == 0)
        return 2;
    if (trace(m) == 10)
        return 3;
    int (*last)[3] = &m[2];
    return (*last)[row] == 11 ? 4 : 5;
}
