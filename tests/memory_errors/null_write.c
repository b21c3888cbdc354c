// error: access through the null pointer
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int *p = &r; *p = x == 99 ? 5 : 4;
#else
    int *p = x == 99 ? 0 : &r; *p = 4;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
