// Helpers that fail return why and write nothing; helpers that work return 0, and what they wrote is in its range.
// expect: branches=24/30 infeasible=6
// witness: 49 50 57 49 97 57 33 97 0
#include "bothways.h"

enum { FINE, NO_DIGIT = -1, TOO_LARGE = -2 };

static int digit(int c, int *out) {
    if (c < '0' || c > '9')
        return NO_DIGIT;
    *out = c - '0';
    return FINE;
}

static int small(int c, int *out) {
    int value = 0;
    int result = digit(c, &value);
    if (result == TOO_LARGE) /* never true */
        return 7;
    if (result)
        return result;
    if (value > 4)
        return TOO_LARGE;
    *out = value;
    return FINE;
}

int main(void) {
    int c, errors = 0;
    bw_int(&c, "c");
    while (c) {
        int first = -1, second = -1;
        if (digit(c, &first) != FINE) {
            if (first != -1) /* never true: nothing was written */
                return 1;
            errors++;
        } else if (first < 0 || first > 9) { /* never true, and never true */
            return 2;
        }
        bw_int(&c, "c");
        int result = small(c, &second);
        if (result == TOO_LARGE && second >= 0) /* the second: never true */
            return 3;
        if (result == FINE) {
            if (second > 4) /* never true */
                return 4;
            if (first > second)
                errors++;
        }
        bw_int(&c, "c");
    }
    return errors > 1;
}
