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
    char *p = malloc(4); *p = 3; if (x == 4321) free(p);
#else
    char *p = malloc(4); if (x == 4321) free(p); *p = 3;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
