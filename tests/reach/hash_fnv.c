// An FNV-1a hash of six bytes is a constant.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[6];
    for (int i = 0; i < 6; i++)
        bw_uchar(&s[i], "s");
    unsigned h = 2166136261u;
    for (int i = 0; i < 6; i++)
        h = (h ^ s[i]) * 16777619u;
    if (h == 0x5f1b2c3du)
        return 1; // target: reachable
    return 0;
}
