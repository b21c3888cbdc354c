// error: what was freed is not the start of a heap object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static char g[4];

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char *p = x == 58 ? g : malloc(4); if (p != g) free(p);
#else
    char *p = x == 58 ? g : malloc(4); free(p);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
