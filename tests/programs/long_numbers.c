// Numbers of nineteen digits: the largest that fits, one more than that, and low bits that a program happens to look at.
// expect: branches=8/8 infeasible=0
// witness: "9223372036854775807"
// witness: "9223372036854775808"
// witness: "0000000000000004711"
// witness: "0000000000000000000"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "bothways.h"

int main(void) {
    char text[20] = {0};
    bw_bytes(text, 19, "text");
    for (int i = 0; i < 19; i++)
        bw_assume((text[i] >= '0') & (text[i] <= '9'));
    errno = 0;
    long value = strtol(text, NULL, 10);
    if (value == LONG_MAX)
        return errno == ERANGE ? 1 : 2;
    if ((int)value == 4711)
        return 3;
    return 0;
}
