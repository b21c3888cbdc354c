// A null pointer and an index far outside: crashes that depend on the input.
// expect: branches=12/12 infeasible=0
// witness: 0 5
// witness: 1 5
// witness: 2 5
// witness: 1 8
// witness: 3 100
// witness: 1 -1
// witness: 0 0
#include <stddef.h>

#include "bothways.h"

static int values[4] = {1, 2, 4, 8};

static int *choose(unsigned char which) {
    if (which == 3)
        return (int *)16; /* never mapped */
    return which == 2 ? NULL : &values[which & 3];
}

int main(void) {
    unsigned char which;
    int limit;
    bw_uchar(&which, "which");
    bw_int(&limit, "limit");
    int *place = choose(which);
    if (limit < 0)
        return 1;
    int value = *place; /* crashes for 2 and 3 */
    if (value == 2 && limit == 8)
        return 2;
    return value > limit ? 3 : 4;
}
