// The last steps of murmur3 give a constant: each of them can be undone.
// args: 
#include "bothways.h"

int main(void) {
    unsigned h;
    bw_uint(&h, "h");
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    if (h == 0xfeedbeefu)
        return 1; // target: reachable
    return 0;
}
