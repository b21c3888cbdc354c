// Fletcher's checksum of eight letters is a constant.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[8];
    unsigned a = 0, b = 0;
    for (int i = 0; i < 8; i++) {
        bw_uchar(&s[i], "s");
        if (s[i] < 'a' || s[i] > 'z')
            return 0;
        a = (a + s[i]) % 255;
        b = (b + a) % 255;
    }
    if ((b << 8 | a) == 0x1a62u)
        return 1; // target: reachable
    return 0;
}
