// error: what was freed is not the start of a heap object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char *p = malloc(4); if (x == 56) p[1] = 0; free(p);
#else
    char *p = malloc(4); free(x == 56 ? p + 1 : p);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
