// error: access to an object after its end of life
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int *p = malloc(8); p[0] = 1; int *q = realloc(p, 4000); r = x == 7 ? q[0] + 1 : q[0];
#else
    int *p = malloc(8); p[0] = 1; int *q = realloc(p, 4000); r = x == 7 ? p[0] : q[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
