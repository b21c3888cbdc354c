// Calls into the C library that nobody models: what they compute is concrete, so nothing is proved.
// expect: branches=11/14 infeasible=0 open=3
// witness: 5 0
// witness: 5 200
// witness: 1234 7
// witness: -1 7
// witness: 5 8
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    int number, level;
    char text[32];
    bw_int(&number, "number");
    bw_int(&level, "level");
    if (number < 0)
        return 1;
    int written = snprintf(text, sizeof text, "n=%g", (double)number);
    if (written < 3) /* never true, but open: snprintf computes the digits of a double */
        return 2;
    div_t parts = div(70, 8);
    if (level == parts.quot * 25) /* the result is as good as a constant */
        return 3;
    if (level > 6 && level % 7 == 0)
        return getenv("BOTHWAYS_NO_SUCH_VARIABLE") ? 4 : 5; /* never true, but open */
    return text[0] == 'n' ? 0 : 6; /* never false, but open */
}
