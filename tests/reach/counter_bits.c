// A loop that clears one bit each round goes round exactly 23 times.
// args: 
#include "bothways.h"

int main(void) {
    unsigned x;
    bw_uint(&x, "x");
    int rounds = 0;
    while (x != 0) {
        x &= x - 1;
        rounds++;
    }
    if (rounds == 23)
        return 1; // target: reachable
    return 0;
}
