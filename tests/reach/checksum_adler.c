// An Adler-32 checksum, stored behind its data, is right.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[12];
    for (int i = 0; i < 12; i++)
        bw_uchar(&s[i], "s");
    unsigned a = 1, b = 0;
    for (int i = 0; i < 8; i++) {
        a = (a + s[i]) % 65521;
        b = (b + a) % 65521;
    }
    unsigned stored = (unsigned)s[8] << 24 | s[9] << 16 | s[10] << 8 | s[11];
    if (stored == (b << 16 | a) && s[0] == 'P' && s[7] == 0xff)
        return 1; // target: reachable
    return 0;
}
