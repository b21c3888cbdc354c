// Inline assembly writes what its operands point to, and what it says that it clobbers; what nobody can reach keeps its value.
// expect: branches=7/10 infeasible=1 open=2
// witness: 0
// witness: 1
// witness: 7
#include "bothways.h"

static int seen = 1;
static int hidden = 1; /* nobody writes it */

int main(void)
{
    int x, own = 2;
    bw_int(&x, "x");
    __asm__ volatile("movl %1, (%0)" : : "r"(&seen), "r"(x) : "memory");
    if (seen == 7)
        return 1;
    __asm__("addl $1, %0" : "+r"(own));
    if (own == 2) /* never true, but open: nobody knows what assembly computes */
        x++;
    if (x == 1 && own == 3) /* never false, but open: assembly again */
        return 2;
    if (hidden != 1) /* never true */
        return 3;
    return 0;
}
