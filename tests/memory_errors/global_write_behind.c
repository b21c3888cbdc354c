// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static char text[6]; static char other[6];

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 9);
#ifdef REPAIRED
    if (x < sizeof text) text[x] = 3; r = other[0];
#else
    text[x] = 3; r = other[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
