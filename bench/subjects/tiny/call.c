/* A function of an input decides (the kind and size of CREST's `function`). */
#include "bothways.h"

static int twice(int x) { return x + x; }

int main(void) {
    int a;
    bw_int(&a, "a");
    if (twice(a) == 8)
        return 1;
    return 0;
}
