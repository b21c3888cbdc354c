// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int m[3][4];

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 16);
#ifdef REPAIRED
    int *row = m[x / 4 % 3]; r = row[x % 4];
#else
    int *row = m[x / 4]; r = row[x % 4];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
