// Standard input character by character: getchar, ungetc, and a count of words and numbers.
// args: --stdin 6
// expect: branches=18/18 infeasible=0
// witness: stdin:"ab 12"
// witness: stdin:""
// witness: stdin:"7"
// witness: stdin:"12ab"
// witness: stdin:"9 9 9"
// witness: stdin:"12"
#include <stdio.h>

static int number(void) {
    int value = 0, c;
    while ((c = getchar()) >= '0' && c <= '9')
        value = value * 10 + c - '0';
    if (c != EOF)
        ungetc(c, stdin);
    return value;
}

int main(void) {
    int words = 0, numbers = 0, c;
    while ((c = getchar()) != EOF) {
        if (c >= '0' && c <= '9') {
            ungetc(c, stdin);
            numbers += number() == 12;
        } else if (c != ' ') {
            words++;
        }
    }
    if (numbers && words == 2)
        return 1;
    return 2;
}
