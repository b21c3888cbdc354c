// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 16);
#ifdef REPAIRED
    char *p = malloc(8); memset(p, 1, 8); if (x < 8) r = p[x];
#else
    char *p = malloc(8); memset(p, 1, 8); r = p[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
