// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int table[5] = {1, 2, 3, 4, 5};

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 9);
#ifdef REPAIRED
    r = table[x % 5];
#else
    r = table[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
