// error: access through the null pointer
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct l { int v; struct l *n; };

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 4);
#ifdef REPAIRED
    struct l c = {3, 0}, b = {2, &c}, a = {1, &b}, *p = &a; while (x-- && p->n) p = p->n; r = p->v;
#else
    struct l c = {3, 0}, b = {2, &c}, a = {1, &b}, *p = &a; while (x--) p = p->n; r = p->v;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
