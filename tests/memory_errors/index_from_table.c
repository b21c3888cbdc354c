// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static unsigned char next[4] = {1, 2, 3, 9}; static int v[4];

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    r = v[next[x & 3] & 3];
#else
    r = v[next[x & 3]];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
