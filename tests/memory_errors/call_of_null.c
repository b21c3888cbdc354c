// error: a call through a pointer that is no function's
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
typedef void (*f)(void); static void nothing(void) {}

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    f g = nothing; if (x == 31) g = nothing; g();
#else
    f g = x == 31 ? 0 : nothing; g();
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
