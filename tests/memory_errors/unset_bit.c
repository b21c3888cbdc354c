// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct bits { unsigned a : 3, b : 5, c : 7; };
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    struct bits b; b.a = x; b.b = 0; if (b.b == 9) r = 1;
#else
    struct bits b; b.a = x; if (b.b == 9) r = 1;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
