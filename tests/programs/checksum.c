// A checksum over a string of digits (Luhn): one equation that ties all the bytes together.
// expect: branches=14/14 infeasible=0
// witness: "79927398713"
// witness: "79927398710"
// witness: "7992739871x"
// witness: "49927398716"
// witness: "/9927398716"
#include "bothways.h"

static int luhn(const unsigned char *digits, int count) {
    unsigned sum = 0;
    for (int i = 0; i < count; i++) {
        unsigned digit = digits[i];
        if (digit < '0' || digit > '9')
            return 0;
        digit -= '0';
        if ((count - i) % 2 == 0) {
            digit *= 2;
            if (digit > 9)
                digit -= 9;
        }
        sum += digit;
    }
    return sum % 10 == 0;
}

int main(void) {
    unsigned char digits[11];
    bw_bytes(digits, sizeof digits, "digits");
    if (!luhn(digits, sizeof digits))
        return 1;
    return digits[0] == '4' ? 2 : 3;
}
