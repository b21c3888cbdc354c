// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int a[5]; for (unsigned i = 0; i <= x; i++) a[i] = i; if (a[x]) r = 1;
#else
    int a[5]; for (unsigned i = 0; i < x; i++) a[i] = i; if (a[x]) r = 1;
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
