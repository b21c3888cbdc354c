// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char to[5]; strncpy(to, x == 8 ? "abcd" : "ab", 5); r = (int)strlen(to);
#else
    char to[4]; strncpy(to, x == 8 ? "abcd" : "ab", 4); r = (int)strlen(to);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
