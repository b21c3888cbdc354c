// Two different words of four letters fall into the same of 64 places, and it is the last.
// args: 
#include <string.h>
#include "bothways.h"

static unsigned place(const char *word) {
    unsigned h = 0;
    for (int i = 0; i < 4; i++)
        h = h * 31 + (unsigned char)word[i];
    return h & 63;
}

int main(void) {
    char a[4], b[4];
    bw_bytes(a, 4, "a");
    bw_bytes(b, 4, "b");
    for (int i = 0; i < 4; i++)
        if (a[i] < 'a' || a[i] > 'z' || b[i] < 'a' || b[i] > 'z')
            return 0;
    if (memcmp(a, b, 4) != 0 && place(a) == 63 && place(b) == 63)
        return 1; // target: reachable
    return 0;
}
