// signed char: a conversion keeps the low 8 bits, arithmetic happens in int.
// expect: branches=9/10 infeasible=1
// witness: 127
// witness: -128
// witness: 100
// witness: -3
// witness: 5
#include "bothways.h"

int main(void) {
    signed char c;
    bw_schar(&c, "c");
    int wide = c + 1;
    signed char narrow = (signed char)(c + 1);
    if (wide != narrow) /* 127 + 1 */
        return 1;
    if (-c == 128) /* no signed char is 128, but the int is */
        return 2;
    narrow = (signed char)(c * 3);
    if (narrow == 44 && c == 100) /* 300 = 256 + 44; never false: 3 is odd */
        return 3;
    if (narrow < 0)
        return 4;
    return 0;
}
