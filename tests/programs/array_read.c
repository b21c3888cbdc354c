// Reading an array at a symbolic index: the whole array is the candidate, in both directions.
// expect: branches=12/12 infeasible=0
// witness: 3 0
// witness: 9 0
// witness: 0 1
// witness: 5 5
// witness: -1 0
// witness: 0 0
#include "bothways.h"

int main(void) {
    int squares[8];
    int i, j;
    for (i = 0; i < 8; i++)
        squares[i] = i * i - 4;
    bw_int(&i, "i");
    bw_int(&j, "j");
    if (i < 0 || i >= 8)
        return 1;
    j &= 7;
    if (squares[i] + squares[j] == 42) /* 25 - 4 + 25 - 4 */
        return 2;
    if (squares[i] < 0 && squares[j] == squares[i] + 1)
        return 3;
    return squares[7 - i] > squares[i];
}
