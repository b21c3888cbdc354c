// ctype.h: tables of the C library, read at symbolic indices; toupper and tolower.
// expect: branches=20/20 infeasible=0
// witness: "x1_ "
// witness: "1abc"
// witness: "_aB#"
// witness: "ABCD"
// witness: "ABC\t"
// witness: "AB3D"
// witness: "aaaa"
// witness: "_aa_"
// witness: "aABC"
// witness: "aaab"
// witness: "aaaB"
#include <ctype.h>

#include "bothways.h"

int main(void) {
    unsigned char text[4];
    int upper = 0;
    bw_bytes(text, sizeof text, "text");
    if (!isalpha(text[0]) && text[0] != '_')
        return 1;
    for (int i = 1; i < 4; i++) {
        if (isspace(text[i]))
            return 2;
        if (isdigit(text[i]))
            return 3;
        if (ispunct(text[i]) && text[i] != '_')
            return 4;
        upper += isupper(text[i]) != 0;
    }
    if (upper == 3 && toupper(text[0]) == text[0])
        return 5;
    return tolower(text[3]) == 'b' ? 6 : 7;
}
