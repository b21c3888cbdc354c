// A constant table: which index gives the value, and a state machine in a table.
// expect: branches=10/10 infeasible=0
// witness: 0x5a "\x01\x00\x01\x01"
// witness: 0x02 "\x01\x01\x01\x01"
// witness: 0x02 "\x00\x00\x00\x00"
// witness: 0x10 "\x02\x00\x00\x00"
// witness: 0x06 "\x00\x00\x00\x00"
// witness: 0x02 "\x01\x00\x01\x01"
#include "bothways.h"

static const unsigned char sbox[16] = {6, 4, 12, 5, 0, 7, 2, 14, 1, 15, 3, 13, 8, 10, 9, 11};

/* Accepts inputs of 0 and 1 that end in 1 0 1 1. */
static const char next[5][2] = {{0, 1}, {2, 1}, {0, 3}, {2, 4}, {2, 1}};

int main(void) {
    unsigned char key, bits[4];
    bw_uchar(&key, "key");
    bw_bytes(bits, sizeof bits, "bits");
    if ((sbox[key >> 4] << 4 | sbox[key & 15]) == 0x73)
        return 1;
    if (sbox[sbox[key & 15]] == 12) /* a table of a table */
        return 2;
    int state = 0;
    for (int i = 0; i < 4; i++) {
        if (bits[i] > 1)
            return 3;
        state = next[state][bits[i]];
    }
    return state == 4 ? 4 : 5;
}
