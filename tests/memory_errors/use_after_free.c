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
    int *p = malloc(4); *p = 3; r = *p; if (x == 1234) free(p);
#else
    int *p = malloc(4); *p = 3; if (x == 1234) free(p); r = *p;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
