// error: the stack is full
// line: 7
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int down(unsigned n) { volatile char room[64]; room[0] = (char)n; return n == 0 ? 0 : down(n + 1) + room[0]; }
static int down_once(unsigned n) { return n == 0 ? 0 : 1; }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    if (x < 2) r = down_once(x);
#else
    if (x < 2) r = down(7);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
