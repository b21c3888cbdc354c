#include "bothways.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned x;
    static int r;
    bw_uint(&x, "x");
    bw_assume(1);
#ifdef REPAIRED
    r = x == 777 ? 0 : 100 % (x - 777);
#else
    r = 100 % (x - 777);
#endif
    return r == 12;
}
