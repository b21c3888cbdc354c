// error: signal 4 (SIGILL)
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    if (x == 0x12345) r = 2;
#else
    if (x == 0x12345) __builtin_trap();
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
