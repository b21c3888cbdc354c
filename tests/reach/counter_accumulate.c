// An accumulator meets a sum exactly, by a count of turns that is an input.
// args: 
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    int step;
    bw_int(&step, "step");
    if (n < 0 || n > 5000 || step < 1 || step > 9)
        return 0;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += step + i % 4;
    if (sum == 20002)
        return 1; // target: reachable
    return 0;
}
