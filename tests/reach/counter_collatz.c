// A chain of Collatz has a given length.
// args: 
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    if (n < 1 || n > 100000)
        return 0;
    int steps = 0;
    while (n != 1 && steps < 400) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    if (steps == 216)
        return 1; // target: reachable
    return 0;
}
