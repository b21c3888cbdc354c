// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int *p = x == 3 ? &r : &r; *p = 4;
#else
    int *p = x == 3 ? (int *)0x1234567890 : &r; *p = 4;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
