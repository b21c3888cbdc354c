// Dead: a sum of squares is not negative, whatever a loop adds before.
// args: 
#include "bothways.h"

int main(void) {
    float x, y;
    bw_float(&x, "x");
    bw_float(&y, "y");
    int n;
    bw_int(&n, "n");
    int sum = 0;
    for (int i = 0; i < (n & 15); i++)
        sum += i;
    float v = x * x + y * y;
    if (v < 0.0f)
        return sum; // target: unreachable
    return 0;
}
