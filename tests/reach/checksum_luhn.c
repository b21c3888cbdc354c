// A number of eight digits passes Luhn's test and has a given sum of digits.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char s[8];
    for (int i = 0; i < 8; i++)
        bw_uchar(&s[i], "s");
    int sum = 0, plain = 0;
    for (int i = 0; i < 8; i++) {
        if (s[i] < '0' || s[i] > '9')
            return 0;
        int digit = s[i] - '0';
        plain += digit;
        if (i % 2 == 0)
            digit = 2 * digit > 9 ? 2 * digit - 9 : 2 * digit;
        sum += digit;
    }
    if (sum % 10 == 0 && plain == 61)
        return 1; // target: reachable
    return 0;
}
