// error: an object was freed twice
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char *p = malloc(4); if (x == 55) { free(p); p = 0; } free(p);
#else
    char *p = malloc(4); if (x == 55) free(p); free(p);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
