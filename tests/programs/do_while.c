// do-while: at least once; the digits of a number, and a search that stops in the middle.
// expect: branches=10/10 infeasible=0
// witness: 0
// witness: 9
// witness: 909
// witness: 1234
// witness: 65535
// witness: 999
#include "bothways.h"

int main(void) {
    unsigned short number;
    bw_ushort(&number, "number");
    unsigned rest = number, digits = 0, nines = 0;
    do {
        if (rest % 10 == 9)
            nines++;
        digits++;
        rest /= 10;
    } while (rest);
    do
        number = (unsigned short)(number * 5 + 1);
    while (0); /* folded: no branch */
    if (digits == 3 && nines == 2)
        return 1;
    if (digits > 4)
        return 2;
    return number == 6171;
}
