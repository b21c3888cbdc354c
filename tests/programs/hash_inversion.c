// A hash of rounds of multiplication, rotation and xor, all of which can be undone.
// expect: branches=6/6 infeasible=0
// witness: 0
// witness: 1
// witness: 0x5f33c72f
// witness: 0xf02468ac
#include <stdint.h>

#include "bothways.h"

static uint32_t rotate(uint32_t x, unsigned by) {
    return x << by | x >> (32 - by);
}

static uint32_t hash(uint32_t x) {
    for (int round = 0; round < 2; round++) {
        x ^= x >> 15;
        x *= 0x2c1b3c6du;
        x = rotate(x, 13);
        x += 0x9e3779b9u;
    }
    return x;
}

int main(void) {
    uint32_t key;
    bw_uint(&key, "key");
    if (hash(key) == 0xc0ffee00u)
        return 1;
    if (rotate(key, 7) == 0x12345678u)
        return 2;
    return 0;
}
