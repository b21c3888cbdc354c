// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int zero(void) { return 0; }
static int one(void) { return 1; }
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int (*f)(void) = zero; if (x) f = one; r = f();
#else
    int (*f)(void); if (x) f = one; r = f();
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
