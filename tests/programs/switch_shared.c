// switch with several labels on one statement, a range of labels (GNU), and no default.
// expect: branches=26/26 infeasible=0
// witness: 97
// witness: 101
// witness: 48
// witness: 57
// witness: 43
// witness: 45
// witness: 120
// witness: 53
// witness: 117
// witness: 105
// witness: 111
#include "bothways.h"

enum kind { OTHER, VOWEL, DIGIT, SIGN };

static enum kind classify(char c) {
    enum kind kind = OTHER;
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        kind = VOWEL;
        break;
    case '0' ... '9':
        kind = DIGIT;
        break;
    case '+':
    case '-':
        kind = SIGN;
    }
    return kind;
}

int main(void) {
    char c;
    bw_char(&c, "c");
    enum kind kind = classify(c);
    if (kind == DIGIT && c == '5')
        return 1;
    return kind == VOWEL || kind == SIGN;
}
