// `strtok(NULL, …)` before any text crashes, as in the C library.
// expect: branches=5/6 infeasible=1
// witness: 7
// witness: 8
// witness: 9
#include <string.h>
#include "bothways.h"

int main(void) {
    int x;
    char text[] = "a b";
    bw_int(&x, "x");
    if (x == 7) {
        strtok(NULL, " ");
        if (x == 7) return 1; /* never true */
    }
    if (x == 8) {
        strtok(text, " ");
        return strtok(NULL, " ")[0];
    }
    return 0;
}
