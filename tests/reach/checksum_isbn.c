// A book's number of ten digits with its check digit, which is X, and a given middle.
// args: --stdin 11
#include <stdio.h>
#include "bothways.h"

int main(void) {
    int sum = 0, c;
    char digits[10];
    for (int i = 0; i < 10; i++) {
        c = getchar();
        int value = c - '0';
        if (i == 9 && c == 'X')
            value = 10;
        else if (c < '0' || c > '9')
            return 0;
        digits[i] = (char)c;
        sum += (10 - i) * value;
    }
    if (sum % 11 != 0)
        return 0;
    if (digits[9] == 'X' && digits[3] == '7' && digits[4] == '3')
        return 1; // target: reachable
    return 0;
}
