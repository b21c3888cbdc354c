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
    char *a = malloc(9); memset(a, 1, x == 3 ? 9 : 8); r = a[0];
#else
    char *a = malloc(8); memset(a, 1, x == 3 ? 9 : 8); r = a[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
