/* One condition (the kind and size of CREST's `simple`). */
#include "bothways.h"

int main(void) {
    int a;
    bw_int(&a, "a");

    if (a == 19)
        return 1;

    return 0;
}
