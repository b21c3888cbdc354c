// Constant vectors with addresses among their members: such a constant takes instructions to compute (gcc's pr71626-1.c).
// expect: branches=5/6 infeasible=0 open=1
// witness: 0
// witness: 1
// witness: 2
#include <stdint.h>

#include "bothways.h"

typedef intptr_t one __attribute__((__vector_size__(sizeof(intptr_t))));
typedef intptr_t two __attribute__((__vector_size__(2 * sizeof(intptr_t))));

static int global;

__attribute__((noinline)) static one address(void)
{
    one v = {(intptr_t)address};
    return v;
}

__attribute__((noinline)) static two addresses(void)
{
    two v = {7, (intptr_t)&global + 4};
    return v;
}

int main(void)
{
    unsigned char x;
    bw_uchar(&x, "x");
    if (address()[0] != (intptr_t)address) /* never true, but open */
        return 3;
    if (addresses()[x & 1] == (intptr_t)(&global + 1))
        return 1;
    return x == 2 ? 2 : 0;
}
