// error: access through the null pointer
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int one = 1, two = 2;
static int *const table[] = {&one, 0, &two};

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 3);
#ifdef REPAIRED
    int *p = table[x]; if (p) r = *p;
#else
    int *p = table[x]; r = *p;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
