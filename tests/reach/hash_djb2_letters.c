// A multiplying hash of five letters is that of a word.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[5];
    for (int i = 0; i < 5; i++)
        bw_uchar(&s[i], "s");
    unsigned h = 5381;
    for (int i = 0; i < 5; i++) {
        if (s[i] < 'a' || s[i] > 'z')
            return 0;
        h = h * 33 + s[i];
    }
    if (h == 0x104c767fu)
        return 1; // target: reachable
    return 0;
}
