// error: access beyond the end of an object
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
struct s { int a[2]; };

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 3);
#ifdef REPAIRED
    struct s *s = malloc(sizeof *s); s->a[0] = s->a[1] = 1; r = s->a[x & 1];
#else
    struct s *s = malloc(sizeof *s); s->a[0] = s->a[1] = 1; r = s->a[x];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
