// error: an uninitialised value decides what the program does
#include "bothways.h"
#include <stdlib.h>
#include <string.h>
static const int table[8] = {1, 2, 3};
int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(x < 5);
#ifdef REPAIRED
    int i = (int)x; r = table[i & 7];
#else
    int i; if (x > 2) i = 1; r = table[i & 7];
#endif
    return r == 0x5eed ? 1 : 0; /* open: the search goes on */
}
