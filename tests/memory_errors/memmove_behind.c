// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 9);
#ifdef REPAIRED
    char a[17] = "01234567"; memmove(a + x, a, 9); r = a[0];
#else
    char a[16] = "01234567"; memmove(a + x, a, 9); r = a[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
