// error: access through the null pointer
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct pair { int a, b; };

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    struct pair one = {1, 2}, *p = x == 123 ? 0 : &one; r = p ? p->b : 0;
#else
    struct pair one = {1, 2}, *p = x == 123 ? 0 : &one; r = p->b;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
