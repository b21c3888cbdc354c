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
    int v = 0; if (x == 3) v = 7; if (v) r = 2;
#else
    int v; if (x == 3) v = 7; if (v) r = 2;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
