// The end of standard input: EOF, feof, clearerr, and reading on after the end.
// args: --stdin 3
// expect: branches=11/14 infeasible=3
// witness: stdin:""
// witness: stdin:"q"
// witness: stdin:"ab"
// witness: stdin:"abc"
// witness: stdin:"a"
#include <stdio.h>

int main(void) {
    char text[4];
    int first = getc(stdin);
    if (first == EOF) {
        clearerr(stdin);
        if (feof(stdin)) /* never true: cleared */
            return 1;
        return getc(stdin) == EOF ? 2 : 3; /* never false */
    }
    if (first == 'q')
        return 4;
    size_t got = fread(text, 1, sizeof text, stdin);
    if (got == 2)
        return 5;
    return feof(stdin) && got == 1; /* never false: four bytes are not there */
}
