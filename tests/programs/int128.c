// __int128: products of two 64-bit numbers in full, and their two halves.
// expect: branches=8/8 infeasible=0
// witness: 0x8000000000000000 4
// witness: 0xffffffffffffffff 0xffffffffffffffff
// witness: 3 5
// witness: 1 0x5000000000000000
// witness: 0x8000000000000000 7
// witness: 0 0x5000000000000000
#include "bothways.h"

int main(void) {
    unsigned long long a, b;
    bw_ulonglong(&a, "a");
    bw_ulonglong(&b, "b");
    unsigned __int128 product = (unsigned __int128)a * 2 + b;
    unsigned long long high = (unsigned long long)(product >> 64);
    if (high == 2) /* needs both to be near the top */
        return 1;
    if (high == 1) {
        if ((unsigned long long)product < 5)
            return 2;
    }
    __int128 difference = (__int128)a - b;
    if (difference < -0x4fffffffffffffff)
        return 3;
    return 0;
}
