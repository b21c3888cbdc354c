// A byte of a number is written, one of four: the byte may have had this value, and the number not.
// expect: branches=6/6 infeasible=0
// witness: 1 0
// witness: 0 0
// witness: 0 1
#include "bothways.h"

union word {
    int whole;
    unsigned char parts[4];
};

int main(void) {
    union word word;
    int which;
    unsigned place;
    bw_int(&which, "which");
    bw_uint(&place, "place");
    word.whole = which > 0 ? 0x01010101 : 0;
    word.parts[place & 3] = 1;
    if (word.whole == 1)
        return 1;
    if (word.whole == 0x0100)
        return 2;
    return 0;
}
