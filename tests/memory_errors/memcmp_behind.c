// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char *a = calloc(1, 8), *b = calloc(1, 8); r = memcmp(a, b, x == 5 ? 8 : 4);
#else
    char *a = calloc(1, 4), *b = calloc(1, 8); r = memcmp(a, b, x == 5 ? 8 : 4);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
