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
    char from[8] = "abc", to[8]; size_t n = 3; memcpy(to, from, n); r = to[0];
#else
    char from[8] = "abc", to[8]; size_t n; if (x) n = 3; memcpy(to, from, n & 7); r = to[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
