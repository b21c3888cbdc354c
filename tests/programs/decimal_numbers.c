// strtod and atof: signs, fractions, exponents, where it stopped; short numbers have expressions.
// expect: branches=18/18 infeasible=0
// witness: "x\x00\x00\x00\x00"
// witness: "2.5\x00\x00"
// witness: "-7.25"
// witness: "-1\x00\x00\x00"
// witness: "3e2\x00\x00"
// witness: "300\x00\x00"
// witness: "30\x00\x00\x00"
// witness: "12.5;"
// witness: "12.5x"
// witness: "9.75\x00"
#include <stdio.h>
#include <stdlib.h>

#include "bothways.h"

int main(void) {
    char text[6] = {0}, *end;
    double scanned = 0;
    bw_bytes(text, 5, "text");
    double value = strtod(text, &end);
    if (end == text)
        return 1;
    if (value == 2.5)
        return 2;
    if (value < 0)
        return value == -7.25 ? 3 : 4;
    if (value > 299 && text[1] == 'e')
        return 5;
    if (value == 12.5)
        return *end == ';' ? 6 : 7;
    sscanf(text, "%lf", &scanned);
    if (scanned == 9.75)
        return 8;
    return 0;
}
