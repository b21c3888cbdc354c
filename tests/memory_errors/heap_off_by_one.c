// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int *p = malloc(5 * sizeof *p); for (unsigned i = 0; i <= x; i++) p[i] = i; r = p[0];
#else
    int *p = malloc(4 * sizeof *p); for (unsigned i = 0; i <= x; i++) p[i] = i; r = p[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
