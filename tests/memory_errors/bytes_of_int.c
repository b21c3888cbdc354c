// error: access beyond the end of an object
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x <= 4);
#ifdef REPAIRED
    int word[2] = {7, 8}; r = ((char *)word)[x];
#else
    int word = 7; r = ((char *)&word)[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
