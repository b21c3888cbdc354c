// A function whose result no input decides: what hangs on it is open, not infeasible.
// expect: branches=3/4 infeasible=0 open=1
// witness: 1
// witness: 5
#include "bothways.h"
#include <stdlib.h>

int main(void) {
    int n;
    bw_int(&n, "n");
    if (n == 5)
        return 1;
    if (getenv("BOTHWAYS_NOBODY_SETS_THIS") != NULL) /* never true, but open: another environment may have it */
        return 2;
    return 0;
}
