// error: access to an object after its end of life
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    struct n { struct n *next; int v; } *a = malloc(sizeof *a), *b = malloc(sizeof *b); a->next = b; b->next = 0; b->v = 1; if (x == 9) { struct n *c = a->next; free(a); r = c->v; } else free(a);
#else
    struct n { struct n *next; int v; } *a = malloc(sizeof *a), *b = malloc(sizeof *b); a->next = b; b->next = 0; b->v = 1; free(a); if (x == 9) r = a->next->v;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
