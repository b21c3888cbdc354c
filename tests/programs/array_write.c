// Writing an array at a symbolic index: what is read afterwards depends on where it went.
// expect: branches=8/8 infeasible=0
// witness: 2 2 7
// witness: 1 2 7
// witness: 4 0 7
// witness: 0 4 40
// witness: 0 3 7
// witness: 0 3 40
#include "bothways.h"

int main(void) {
    int cells[5] = {10, 20, 30, 40, 50};
    unsigned to, from;
    int value;
    bw_uint(&to, "to");
    bw_uint(&from, "from");
    bw_int(&value, "value");
    to %= 5;
    from %= 5;
    cells[to] = value;
    if (cells[from] == value) { /* the same cell, or luck */
        if (to != from)
            return 1;
        return 2;
    }
    cells[from] += 1;
    if (cells[4] == 7)
        return 3;
    if (cells[2] == 31)
        return 4;
    return 5;
}
