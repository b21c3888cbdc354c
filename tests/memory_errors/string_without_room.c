// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 17);
#ifdef REPAIRED
    char text[20]; for (unsigned i = 0; i < x; i++) text[i] = 'a'; text[x] = 0; r = (int)strlen(text);
#else
    char text[16]; for (unsigned i = 0; i < x; i++) text[i] = 'a'; text[x] = 0; r = (int)strlen(text);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
