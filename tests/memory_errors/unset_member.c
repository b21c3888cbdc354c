// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct pair { char c; int i; };
static int is_set(const struct pair *p) { return p->i; }
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    struct pair p; p.c = 1; p.i = (int)x; if (is_set(&p)) r = 1;
#else
    struct pair p; p.c = 1; if (is_set(&p)) r = 1;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
