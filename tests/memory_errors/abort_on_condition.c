// error: signal 6 (SIGABRT)
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    if (x == 0xdeadbeef) r = 1;
#else
    if (x == 0xdeadbeef) abort();
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
