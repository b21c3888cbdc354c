// The same loops before the first input and after it: switch, ternary, recursion, memory blocks, swapped variables.
// expect: branches=24/26 infeasible=2
// witness: 0
// witness: 21
// witness: 13
// witness: 100
// witness: 255
#include "bothways.h"
#include <string.h>

static unsigned gcd(unsigned a, unsigned b) {
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int depth(const unsigned char *text, int size) {
    unsigned char copy[16];
    int open = 0, most = 0;
    memcpy(copy, text, sizeof copy);
    for (int i = 0; i < size; i++) {
        switch (copy[i]) {
        case '(':
            open++;
            break;
        case ')':
            open--;
            break;
        }
        most = open > most ? open : most;
    }
    return size > 8 ? most + depth(text, size / 2) : most;
}

static void fill(unsigned char *text, unsigned char byte) {
    memset(text, byte, 16);
    for (int i = 0; i < 16; i += 5)
        text[i] = '(';
}

int main(void) {
    unsigned char text[16], number;
    fill(text, 'x');
    if (gcd(84, 36) != 12) /* never true */
        return 8;
    if (depth(text, 16) != 6) /* never true */
        return 9;
    bw_uchar(&number, "number");
    fill(text, number == 100 ? '(' : ')');
    if (depth(text, 16) > 10)
        return 1;
    return gcd(number, 252) == 21 ? 2 : gcd(number, 26) == 13;
}
