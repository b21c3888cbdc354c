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
    short *p = malloc(4); p[0] = p[1] = 1; r = x == 8 ? *(int *)p : *p;
#else
    short *p = malloc(2); *p = 1; r = x == 8 ? *(int *)p : *p;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
