// error: assertion: x != 0xcafe
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
#include <assert.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    assert(x != 0xcafe || x == 0xcafe);
#else
    assert(x != 0xcafe);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
