// Two hundred zeros among the bytes of the input.
// args: --stdin 256
#include <stdio.h>
#include "bothways.h"

int main(void) {
    int zeros = 0, c;
    while ((c = getchar()) != EOF)
        if (c == '0')
            zeros++;
    if (zeros == 200)
        return 1; // target: reachable
    return 0;
}
