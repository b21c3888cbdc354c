// strtol: signs, bases, where it stopped, and what does not fit; atoi beside it.
// expect: branches=18/18 infeasible=0
// witness: "-42\x00\x00\x00"
// witness: "0x1f\x00\x00"
// witness: "zzz\x00\x00\x00"
// witness: "  7 \x00\x00"
// witness: "12;\x00\x00\x00"
// witness: "5\x00\x00\x00\x00\x00"
// witness: "070\x00\x00\x00"
// witness: "13;\x00\x00\x00"
// witness: "-4\x00\x00\x00\x00"
// witness: "31\x00\x00\x00\x00"
// witness: "56\x00\x00\x00\x00"
#include <stdlib.h>

#include "bothways.h"

int main(void) {
    char text[7] = {0};
    char *end;
    bw_bytes(text, 6, "text");
    long value = strtol(text, &end, 0);
    if (end == text)
        return 1;
    if (*end == ';' && value == 12)
        return 2;
    if (value < 0)
        return value == -42 ? 3 : 4;
    if (value == 0x1f && text[1] == 'x')
        return 5;
    if (value == 56 && atoi(text) == 70) /* octal to one, decimal to the other */
        return 6;
    return 0;
}
