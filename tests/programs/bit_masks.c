// Bitwise operators: masks, flags, sign bits, and the identities between them.
// expect: branches=11/12 infeasible=1
// witness: 0x0
// witness: 0xa5000005
// witness: 0x0000ff00
// witness: 0x00000010
// witness: 0xffffffff
// witness: 0x5
#include "bothways.h"

enum { READ = 1, WRITE = 2, RUN = 4, OWNER = 0xa5000000 >> 24 };

int main(void) {
    unsigned m;
    bw_uint(&m, "m");
    if ((m & (READ | WRITE | RUN)) == (READ | RUN)) {
        if ((m >> 24 ^ OWNER) == 0)
            return 1;
    }
    if (m == 0)
        return 2;
    if ((m & (m - 1)) >= m) /* never true: without its lowest set bit a number is smaller */
        return 3;
    if ((m & (m - 1)) == 0) /* a power of two */
        return 4;
    if ((m & ~0xff00u) == 0)
        return 5;
    return (m | 1) == m;
}
