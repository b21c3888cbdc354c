// Inline assembly without instructions: a value that is tied to a result is the result, and a barrier does nothing.
// expect: branches=10/12 infeasible=2
// witness: 0 0
// witness: 7 0
// witness: 9 0
// witness: 1 7
// witness: 1 8
#include "bothways.h"

static int kept;

int main(void) {
    int x, y, both, sum;
    int *where = &kept;
    bw_int(&x, "x");
    bw_int(&y, "y");
    __asm__("" : "+r"(x));
    if (x == 7)
        return 1;
    __asm__ volatile("# nothing %0" : "+m"(x) : : "memory");
    if (x == 9)
        return 2;
    both = x, sum = y;
    __asm__("" : "=r"(both), "=r"(sum) : "1"(x + y), "0"(x - y));
    if (sum == 8)
        return 3;
    if (both == -7)
        return 4;
    __asm__ volatile("" : "+r"(where) : "r"(x) : "memory");
    kept = 1;
    __asm__ volatile("" ::: "memory");
    if (*where != 1) /* never true */
        return 5;
    if (x == 7) /* never true */
        return 6;
    return 0;
}
