// Unsigned division by a constant and by a variable: what the remainder can be and what it cannot.
// expect: branches=11/12 infeasible=1
// witness: 13 1
// witness: 65535 256
// witness: 5 0
// witness: 14 256
// witness: 15 0
// witness: 16 1
#include "bothways.h"

int main(void) {
    unsigned short a, b;
    bw_ushort(&a, "a");
    bw_ushort(&b, "b");
    if (b == 0)
        return 1;
    if (a / 10 == 1 && a % 10 == 3)
        return 2;
    if (a % 7 >= 7) /* never true */
        return 3;
    if (b > 255 && a / b == 255)
        return 4;
    return 0;
}
