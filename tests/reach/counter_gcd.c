// Euclid takes many steps: neighbours of Fibonacci's.
// args: 
#include "bothways.h"

int main(void) {
    int a;
    bw_int(&a, "a");
    int b;
    bw_int(&b, "b");
    if (a <= 0 || b <= 0 || a > 1000000 || b > 1000000)
        return 0;
    int steps = 0;
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
        steps++;
    }
    if (steps == 18)
        return 1; // target: reachable
    return 0;
}
