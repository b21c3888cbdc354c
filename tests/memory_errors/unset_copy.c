// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct pair { char c; int i; short s; };
static struct pair twice(struct pair p) { struct pair q = p; q.s += q.c; return q; }
static void copy(struct pair *to, const struct pair *from) { *to = *from; to->s += to->c; }
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    struct pair p, q; p.c = 1; p.i = (int)x; p.s = 3; q = twice(p); memcpy(&p, &q, sizeof p); if (p.i == 2 && p.s == 4 && p.c == 1) r = 1;
#else
    struct pair p, q; p.c = 1; p.s = 3; copy(&q, &p); memcpy(&p, &q, sizeof p); if (p.i == 2 && p.s == 4 && p.c == 1) r = 1;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
