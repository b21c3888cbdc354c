// Dead: a square is never 2 modulo 4, behind a loop.
// args: 
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    int sum = 0;
    for (int i = 0; i < (n & 63); i++)
        sum += i;
    unsigned square = (unsigned)n * (unsigned)n;
    if (square % 4 == 2)
        return sum; // target: unreachable
    return 0;
}
