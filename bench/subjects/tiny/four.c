/* Four conditions, each in the one before (the kind and size of CREST's `uniform_test`). */
#include "bothways.h"

int main(void) {
    int a, b, c, d;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    bw_int(&d, "d");
    if (a == 5)
        if (b == 19)
            if (c == 7)
                if (d == 11)
                    return 1;
    return 0;
}
