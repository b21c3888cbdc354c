// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    char *p = malloc(2); p[0] = p[1] = 1; p = realloc(p, 8); memset(p + 2, 0, 6); if (p[x + 2]) r = 1; free(p);
#else
    char *p = malloc(2); p[0] = p[1] = 1; p = realloc(p, 8); if (p[x + 2]) r = 1; free(p);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
