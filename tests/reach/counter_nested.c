// The turns of two loops, one in the other, add up to a number.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char n, m;
    bw_uchar(&n, "n");
    bw_uchar(&m, "m");
    int turns = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < m; j++)
            turns++;
    if (turns == 1275 && n != m)
        return 1; // target: reachable
    return 0;
}
