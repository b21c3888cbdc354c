// unsigned char: wraps when stored, not in between; promoted to int before every operation.
// expect: branches=10/10 infeasible=0
// witness: 200 100
// witness: 10 20
// witness: 0 255
// witness: 7 7
// witness: 200 200
// witness: 0 1
#include "bothways.h"

int main(void) {
    unsigned char a, b;
    bw_uchar(&a, "a");
    bw_uchar(&b, "b");
    unsigned char sum = (unsigned char)(a + b);
    if (a + b > 255 && sum == 44)
        return 1;
    if (a - b < 0) { /* an int: may be negative */
        unsigned char difference = (unsigned char)(a - b);
        if (difference > 250)
            return 2;
        b--;
    }
    if ((unsigned char)~a == 255)
        return 3;
    return a == b;
}
