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
    char *a = malloc(5); memcpy(a, "wxyz", 5); if (x != 6) a[3] = 0; r = strlen(a);
#else
    char *a = malloc(4); memcpy(a, "wxyz", 4); if (x != 6) a[3] = 0; r = strlen(a);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
