// Quotients with remainders, bits, byte order, numbers as wide as can be; what output functions return.
// expect: branches=20/20 infeasible=0
// witness: 17 0 0 "\x00\x00\x00\x00" 0
// witness: 7 0 0 "\x00\x00\x00\x00" 0
// witness: 27 0 0 "\x00\x00\x00\x00" 0
// witness: 0 16 0 "\x00\x00\x00\x00" 0
// witness: 0 0 0x5000 "\x00\x00\x00\x00" 0
// witness: 0 0 0 "0xf\x00" 0
// witness: 0 0 0 "15\x00\x00" 0
// witness: 0 0 0 "7;\x00\x00" 0
// witness: 0 0 0 "7\x00\x00\x00" 65
// witness: 0 0 0 "7\x00\x00\x00" 66
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "bothways.h"

int main(void) {
    int number, bits;
    unsigned short port;
    char text[5] = {0}, *end, letter;
    bw_int(&number, "number");
    bw_int(&bits, "bits");
    bw_ushort(&port, "port");
    bw_bytes(text, 4, "text");
    bw_char(&letter, "letter");
    div_t parts = div(number, 10);
    if (parts.rem == 7 && parts.quot != 0)
        return parts.quot == 2 ? 1 : 2;
    if (ffs(bits) == 5)
        return 3;
    if (ntohs(port) == 80)
        return 4;
    uintmax_t value = strtoumax(text, &end, 0);
    if (value == 15 && text[1] == 'x')
        return 5;
    if (value != 7 || *end)
        return 6;
    if (fputc(letter, stderr) == 'A')
        return 7;
    return 0;
}
