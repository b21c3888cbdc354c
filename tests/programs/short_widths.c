// short and unsigned short: the same 16 bits, extended with sign or with zeros.
// expect: branches=13/14 infeasible=1
// witness: -2
// witness: 32767
// witness: -32768
// witness: 4660
// witness: -5
// witness: 0
// witness: 0x1200
#include "bothways.h"

static int same_bits(short s, unsigned short u) {
    return (s & 0xffff) == u;
}

int main(void) {
    short s;
    bw_short(&s, "s");
    unsigned short u = (unsigned short)s;
    if (!same_bits(s, u)) /* never true */
        return 9;
    if (s < 0) {
        if (u > 65533)
            return 1;
        if ((short)(s - 1) > 0)
            return 2;
    }
    if ((int)s * s == 32767 * 32767)
        return 3;
    if ((u >> 8) == 0x12 && (u & 0xff) == 0x34)
        return 4;
    return 0;
}
