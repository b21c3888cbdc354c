// error: access to an object after its end of life
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int *leak(int n) { int local = n; int *volatile p = &local; return p; }
static int kept;
static int *keep(int n) { kept = n; return &kept; }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int *p = keep(3); if (x == 77) r = *p;
#else
    int *p = leak(3); if (x == 77) r = *p;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
