// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int d = 1; if (x) d = (int)x; r = 100 / d;
#else
    int d; if (x) d = (int)x; r = 100 / (d | 1);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
