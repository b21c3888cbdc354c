// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x <= 16);
#ifdef REPAIRED
    char *a = malloc(16), *b = calloc(1, 16); memcpy(a, b, x); r = b[0];
#else
    char *a = malloc(8), *b = calloc(1, 16); memcpy(a, b, x); r = b[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
