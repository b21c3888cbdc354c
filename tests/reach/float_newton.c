// Newton's method for a square root needs more than six rounds, and ends near seven.
// args: 
#include "bothways.h"

int main(void) {
    double a;
    bw_double(&a, "a");
    if (!(a > 0 && a < 1e6))
        return 0;
    double x = 1;
    int rounds = 0;
    while (rounds < 30) {
        double next = (x + a / x) / 2;
        double step = next - x;
        x = next;
        rounds++;
        if (step < 1e-9 && step > -1e-9)
            break;
    }
    if (rounds > 6 && x > 6.999 && x < 7.001)
        return 1; // target: reachable
    return 0;
}
