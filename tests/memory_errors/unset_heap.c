// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int *p = calloc(4, sizeof *p); if (!p) return 0; if (p[x & 3]) r = 1; free(p);
#else
    int *p = malloc(4 * sizeof *p); if (!p) return 0; if (p[x & 3]) r = 1; free(p);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
