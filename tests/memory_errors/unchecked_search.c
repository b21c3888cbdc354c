// error: access through the null pointer
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
    const char *p = strchr("key=value", x & 127); if (x != 0 && p) r = p[0];
#else
    const char *p = strchr("key=value", x & 127); r = p[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
