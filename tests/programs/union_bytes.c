// Unions: a number seen as its bytes, the lowest first, and as its halves.
// expect: branches=14/14 infeasible=0
// witness: 0x11223344
// witness: 0x00000044
// witness: 0xff000000
// witness: 0x00017fff
// witness: 0x80008000
// witness: 0x00003344
// witness: 0x80000044
// witness: 0x00008000
#include <stdint.h>

#include "bothways.h"

union word {
    uint32_t all;
    uint8_t bytes[4];
    struct {
        int16_t low, high;
    } half;
};

int main(void) {
    union word w;
    bw_uint(&w.all, "w");
    if (w.bytes[0] == 0x44) {
        if (w.bytes[1] == 0x33 && w.bytes[3] == 0x11)
            return 1;
        w.bytes[2] = 0x80;
        if (w.half.high < 0)
            return 2;
    }
    if (w.half.low < 0 && w.half.low == w.half.high)
        return 3;
    w.half.low++;
    if (w.all == 0x00018000)
        return 4;
    return w.all > 0xf0000000u;
}
