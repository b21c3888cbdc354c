// Eleven presses in the right order; a toggled state, no resets.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[11];
    for (int i = 0; i < 11; i++)
        bw_uchar(&s[i], "s");
    unsigned state = 1;
    for (int i = 0; i < 11; i++) {
        if (s[i] >= 5)
            return 0;
        state = (state * 3 + s[i]) % 1009;
    }
    if (state == 777)
        return 1; // target: reachable
    return 0;
}
