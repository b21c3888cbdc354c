// memset, memcpy and memmove: overlapping ranges, partial copies, and structures as bytes.
// expect: branches=10/10 infeasible=0
// witness: 0x04030201 3
// witness: 0xffffffff 0
// witness: 0x00000007 9
// witness: 0x05050505 2
// witness: 0x05000505 2
// witness: 0 3
// witness: 0x05050500 9
// witness: 0x06050505 9
// witness: 0x00000001 3
// witness: 0x05050501 3
// witness: 0x00010101 9
#include <string.h>

#include "bothways.h"

int main(void) {
    unsigned word, copy;
    unsigned char bytes[12], count;
    bw_uint(&word, "word");
    bw_uchar(&count, "count");
    memset(bytes, 5, sizeof bytes);
    memcpy(bytes + 4, &word, sizeof word);
    memmove(bytes + 5, bytes + 4, 5); /* overlaps: one up */
    if (bytes[4] == bytes[9])
        return 1;
    memcpy(&copy, bytes + 6, 2);
    memset((unsigned char *)&copy + 2, 0, 2);
    if (copy == 0x0302)
        return 2;
    if (count < 4)
        memset(bytes, 0, count); /* a symbolic length */
    if (bytes[2] == 0)
        return 3;
    return memcmp(bytes + 4, bytes + 6, 2) == 0 ? 4 : 5;
}
