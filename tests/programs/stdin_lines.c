// Lines of standard input, of any length: what a line says decides whether there is a second, and nothing is concretised.
// args: --stdin 5
// expect: branches=9/10 infeasible=1
// witness: stdin:""
// witness: stdin:"ab"
// witness: stdin:"a\nb"
// witness: stdin:"a\nc"
// witness: stdin:"b\n"
#include <stdio.h>

int main(void) {
    char first[4] = {0}, second[4] = {0};
    if (fgets(first, sizeof first, stdin) == NULL)
        return 1;
    if (first[0] != 'a')
        return 2;
    if (fgets(second, sizeof second, stdin) == NULL)
        return 3;
    if (second[0] == 'b')
        return 4;
    if (first[3] != 0) /* never true */
        return 5;
    return 0;
}
