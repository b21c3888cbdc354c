// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
enum kind { NONE, ONE, TWO };
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    enum kind k = NONE; if (x > 2) k = ONE; switch (k) { case ONE: r = 1; break; case TWO: r = 2; break; default: break; }
#else
    enum kind k; if (x > 2) k = ONE; switch (k) { case ONE: r = 1; break; case TWO: r = 2; break; default: break; }
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
