// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 7);
#ifdef REPAIRED
    int *p = malloc(16); p[0] = p[1] = p[2] = p[3] = 4; r = x >= 3 && x < 7 ? p[(int)x - 3] : 0;
#else
    int *p = calloc(4, sizeof *p); r = p[(int)x - 3];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
