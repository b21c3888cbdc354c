// Division truncates towards zero; the remainder has the sign of the dividend.
// expect: branches=20/20 infeasible=0
// witness: -7 2
// witness: 7 -2
// witness: 7 3
// witness: -8 2
// witness: 10 0
// witness: -2147483648 -1
// witness: -2147483648 1
// witness: -3 4
// witness: 1000 -37
// witness: -10 3
// witness: 1001 -37
#include "bothways.h"

int main(void) {
    int a, b;
    bw_int(&a, "a");
    bw_int(&b, "b");
    if (b == 0 || (a == -2147483647 - 1 && b == -1))
        return 1;
    int quotient = a / b, remainder = a % b;
    if (remainder < 0) {
        if (quotient == -3 && b == 2)
            return 2;
    } else if (remainder > 0 && quotient < 0) {
        if (quotient == -27 && remainder == 1)
            return 3;
    }
    return 0;
}
