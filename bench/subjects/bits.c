/* 8,192 short paths: one branch for each of 13 bytes, and a last one that no path takes, so that all are tried. */
#include "bothways.h"

int main(void) {
    unsigned char bytes[13];
    int odd = 0;
    bw_bytes(bytes, sizeof bytes, "bytes");
    for (unsigned i = 0; i < sizeof bytes; i++)
        if (bytes[i] & 1)
            odd++;
    if (odd > 13)
        return 1;
    return 0;
}
