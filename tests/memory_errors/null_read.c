// error: access through the null pointer
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct node { int v; struct node *next; };

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    struct node n = {1, 0}; struct node *p = x == 77 ? n.next : &n; r = p ? p->v : 0;
#else
    struct node n = {1, 0}; struct node *p = x == 77 ? n.next : &n; r = p->v;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
