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
    char *a = malloc(7); strcpy(a, "abc"); strcat(a, x == 9 ? "def" : "de"); r = a[0];
#else
    char *a = malloc(6); strcpy(a, "abc"); strcat(a, x == 9 ? "def" : "de"); r = a[0];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
