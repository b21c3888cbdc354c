// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 8);
#ifdef REPAIRED
    int *p = calloc(8, 4); p = realloc(p, 8); r = x < 2 ? p[x] : 0;
#else
    int *p = calloc(8, 4); p = realloc(p, 8); r = p[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
