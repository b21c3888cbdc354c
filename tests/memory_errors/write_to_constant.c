// error: write to a constant
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    char *s = x == 41 ? calloc(1, 9) : malloc(9); s[0] = 1; r = s[0];
#else
    char *s = x == 41 ? (char *)"constant" : malloc(9); s[0] = 1; r = s[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
