// Mutual recursion: a parser of expressions of digits, + and parentheses.
// expect: branches=18/18 infeasible=0
// witness: "(1+2)+3"
// witness: "9+9+9+9"
// witness: "((((1))"
// witness: "1+\x00\x00\x00\x00\x00"
// witness: "8\x00\x00\x00\x00\x00\x00"
// witness: "(1;\x00\x00\x00\x00"
// witness: "\x01\x00\x00\x00\x00\x00\x00"
// witness: "(1;+2\x00\x00"
// witness: "(+2\x00\x00\x00\x00"
// witness: "9+9+9+8"
// witness: "9+9+9+\x00"
// witness: "a\x00\x00\x00\x00\x00\x00"
// witness: "9+9+9\x00\x00"
// witness: "9+9+9;x"
#include "bothways.h"

static const char *at;
static int failed;

static int sum(void);

static int atom(void) {
    if (*at >= '0' && *at <= '9')
        return *at++ - '0';
    if (*at == '(') {
        at++;
        int value = sum();
        if (*at == ')') {
            at++;
            return value;
        }
    }
    failed = 1;
    return 0;
}

static int sum(void) {
    int value = atom();
    while (*at == '+' && !failed) {
        at++;
        value += atom();
    }
    return value;
}

int main(void) {
    char text[8] = {0};
    bw_bytes(text, 7, "text");
    at = text;
    int value = sum();
    if (failed)
        return 1;
    return value == 27 && *at == 0 ? 2 : 3;
}
