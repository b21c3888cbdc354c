// A CRC-32 by bits, stored behind its data, is right.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[8];
    for (int i = 0; i < 8; i++)
        bw_uchar(&s[i], "s");
    unsigned crc = ~0u;
    for (int i = 0; i < 4; i++) {
        crc ^= s[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    unsigned stored = (unsigned)s[4] << 24 | s[5] << 16 | s[6] << 8 | s[7];
    if (stored == ~crc && s[0] == 'I' && s[1] == 'H')
        return 1; // target: reachable
    return 0;
}
