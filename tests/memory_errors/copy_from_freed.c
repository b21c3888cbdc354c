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
    char b[4]; char *p = calloc(1, 4); memcpy(b, p, 4); if (x == 61) free(p); r = b[0];
#else
    char b[4]; char *p = calloc(1, 4); if (x == 61) free(p); memcpy(b, p, 4); r = b[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
