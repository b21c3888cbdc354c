// Nested loops: bounds from the input, break out of one, continue with the other.
// expect: branches=18/18 infeasible=0
// witness: 3 3 4
// witness: 0 0 0
// witness: 4 2 5
// witness: 9 1 1
// witness: 2 4 3
// witness: 4 2 99
// witness: 4 2 7
// witness: 2 9 0
// witness: 4 4 13
// witness: 4 4 14
#include "bothways.h"

int main(void) {
    unsigned rows, columns, wanted, found = 0, even = 0;
    bw_uint(&rows, "rows");
    bw_uint(&columns, "columns");
    bw_uint(&wanted, "wanted");
    if (rows > 4 || columns > 4)
        return 1;
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < columns; column++) {
            if ((row + column) % 2 == 0)
                continue;
            if (row * columns + column == wanted) {
                found = 1;
                break;
            }
        }
        even += !found;
    }
    if (found && even == 3)
        return 2;
    return even == 4 ? 3 : 4;
}
