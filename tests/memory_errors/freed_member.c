// error: an object was freed twice
// line: 8
#define _GNU_SOURCE
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct box { char *text; };
static void clear(struct box *b) { free(b->text); }
static void reset(struct box *b) { free(b->text); b->text = 0; }

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    struct box b = { malloc(8) }; reset(&b); if (x == 1000) reset(&b);
#else
    struct box b = { malloc(8) }; clear(&b); if (x == 1000) clear(&b);
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
