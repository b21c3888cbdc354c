// Indices that are links form one cycle through all eight elements.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[8];
    for (int i = 0; i < 8; i++)
        bw_uchar(&s[i], "s");
    int at = 0, seen = 0;
    for (int i = 0; i < 8; i++) {
        if (s[at] > 7 || (seen >> s[at] & 1))
            return 0;
        seen |= 1 << s[at];
        at = s[at];
    }
    if (at == 0 && seen == 255)
        return 1; // target: reachable
    return 0;
}
