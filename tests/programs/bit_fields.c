// Bit-fields: signed and unsigned, across byte boundaries, and stores that must not disturb their neighbours.
// expect: branches=14/14 infeasible=0
// witness: -3 5 1000 0
// witness: 3 5 1000 1
// witness: -4 9 1023 1
// witness: 2 7 0 0
// witness: 0 0 1 0
// witness: -3 4 0 0
// witness: 0 0 1023 0
// witness: 1 7 0 0
#include "bothways.h"

struct packed_word {
    int sign : 3; /* -4 to 3 */
    unsigned nibble : 4;
    unsigned long wide : 10;
    _Bool flag : 1;
};

int main(void) {
    struct packed_word w = {0, 0, 0, 0};
    int sign, nibble, wide;
    bw_int(&sign, "sign");
    bw_int(&nibble, "nibble");
    bw_int(&wide, "wide");
    w.sign = sign;
    w.nibble = (unsigned)nibble;
    w.wide = (unsigned long)wide;
    bw_int(&sign, "flag");
    w.flag = sign != 0;
    if (w.sign == -3 && w.nibble == 5)
        return 1;
    w.nibble++; /* 15 becomes 0, and the fields beside it stay */
    if (w.wide == 1023 && w.flag)
        return 2;
    if (w.nibble == 8 && w.sign == 2)
        return 3;
    return w.wide == 1000 ? 4 : 5;
}
