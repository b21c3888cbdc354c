// Bit-counting and byte-swapping builtins, and arithmetic that reports overflow.
// expect: branches=14/14 infeasible=0
// witness: 0x00ff00ff 1
// witness: 0x00010000 1
// witness: 0x7f 2147483647
// witness: 0x78563412 1
// witness: 0 65536
// witness: 3 -2147483648
// witness: 3 1
// witness: 0x00010001 1
// witness: 0x00018000 1
#include "bothways.h"

int main(void) {
    unsigned u;
    int i, product, sum;
    bw_uint(&u, "u");
    bw_int(&i, "i");
    if (__builtin_popcount(u) == 16)
        return 1;
    if (u != 0 && __builtin_clz(u) == 15 && __builtin_ctz(u) == 16)
        return 2;
    if (__builtin_bswap32(u) == 0x12345678)
        return 3;
    if (__builtin_add_overflow(i, 1, &sum))
        return 4;
    if (__builtin_mul_overflow(i, i, &product))
        return 5 + (i < 0);
    return product == sum;
}
