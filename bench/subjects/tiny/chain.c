/* A loop and a condition that no input decides, then one that an input does (the kind and size of CREST's `cfg_search_test`). */
#include "bothways.h"

int main(void) {
    int x, y;
    bw_int(&x, "x");
    bw_int(&y, "y");

    for (int round = 0; round < 2; round++)
        if (round == 1)
            y += 2;

    if (x != y)
        return 1;

    return 0;
}
