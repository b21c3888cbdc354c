/* A sum of inputs decides (the kind and size of CREST's `math`). */
#include "bothways.h"

int main(void) {
    int a, b;
    bw_int(&a, "a");
    bw_int(&b, "b");

    int c = 3 * a - b + 5;
    if (c == 17)
        return 1;

    return 0;
}
