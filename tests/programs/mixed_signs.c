// Comparisons of signed with unsigned numbers: the signed one is converted.
// expect: branches=12/14 infeasible=2
// witness: -1 5 0
// witness: 3 5 -7
// witness: 5 5 7
// witness: 2147483648 1 1
// witness: -9 4294967287 0
// witness: 7 5 0
// witness: 3 5 0
#include "bothways.h"

int main(void) {
    int s;
    unsigned u;
    short h;
    bw_int(&s, "s");
    bw_uint(&u, "u");
    bw_short(&h, "h");
    if ((unsigned)s > u) {
        if (s < 0)
            return 1;
    }
    if (h < 0 && (unsigned)h > 0x80000000u) /* never false: it is 0xffff.... */
        return 2;
    if ((long)s == (long)u)
        return 3;
    if (s == (int)u && s < 0) /* never false: otherwise they were equal as longs */
        return 4;
    return 0;
}
