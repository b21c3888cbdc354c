// The inputs of CREST: macros that take a variable.
// expect: branches=14/14 infeasible=0
// witness: 5 7 65 9
// witness: 8 7 65 9
// witness: 5 3 66 9
// witness: 9 3 65 9
// witness: 9 7 65 8
// witness: 5 9 65 3
// witness: 1 9 65 3
// witness: 10 9 65 3
// witness: 8 7 66 9
#include <crest.h>

/* Middle of three, the classic of the field. */
static int middle(int x, int y, int z) {
    if (y < z) {
        if (x < y)
            return y;
        return x < z ? x : z;
    }
    if (x > y)
        return y;
    return x > z ? x : z;
}

int main(void) {
    int x, y;
    char letter;
    unsigned short z;
    CREST_int(x);
    CREST_int(y);
    CREST_char(letter);
    CREST_unsigned_short(z);
    int m = middle(x, y, z);
    if (letter == 'A' && m == 7)
        return 1;
    return m == z;
}
