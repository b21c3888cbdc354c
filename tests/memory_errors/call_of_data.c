// error: a call through a pointer that is no function's
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static int data = 5;
static int f(void) { return 3; }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    int (*p)(void) = x == 31 ? f : f; r = p();
#else
    int (*p)(void) = x == 31 ? (int (*)(void))(void *)&data : f; r = p();
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
