// Paper, Table 1: a counter goes down to 0, as many turns as the input says.
// args: 
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    int turns = 0;
    while (n > 0) {
        n--;
        turns++;
    }
    if (turns == 13)
        return 1; // target: reachable
    return 0;
}
