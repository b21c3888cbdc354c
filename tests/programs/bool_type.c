// _Bool: every conversion gives 0 or 1, and a _Bool input has two values.
// expect: branches=8/8 infeasible=0
// witness: 1 256 0.5
// witness: 0 0 0.0
// witness: 1 0 0.0
// witness: 0 256 0.0
// witness: 1 1 0.0
#include <stdbool.h>

#include "bothways.h"

int main(void) {
    bool flag;
    int number;
    double fraction;
    bw_bool(&flag, "flag");
    bw_int(&number, "number");
    bw_double(&fraction, "fraction");
    bool from_int = number;         /* 256 is true, though its low byte is 0 */
    bool from_double = fraction;    /* so is 0.5 */
    unsigned char low = (unsigned char)number;
    if (from_int && low == 0)
        number = flag + from_int;
    if (flag != from_int)
        return 1;
    if (from_double)
        return 2 + !flag;
    return number == 2;
}
