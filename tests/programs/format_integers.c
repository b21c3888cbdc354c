// snprintf of integers: signs, widths, bases; what was written is compared, searched and measured.
// expect: branches=17/18 infeasible=1
// witness: 42 0 0
// witness: -17 0 0
// witness: 1000 0 0
// witness: 0 0xab 0
// witness: 0 0 7
// witness: 0 0 123
// witness: 0 0 0
// witness: 5 1 1
// witness: 0 0 17
// witness: -100 1 1
#include <stdio.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    int number;
    unsigned char byte;
    unsigned short port;
    char text[32];
    bw_int(&number, "number");
    bw_uchar(&byte, "byte");
    bw_ushort(&port, "port");
    int written = snprintf(text, sizeof text, "n=%d;", number);
    if (written == 7 && number > 0)
        return 1;
    if (strcmp(text, "n=42;") == 0)
        return 2;
    if (strstr(text, "-17"))
        return 3;
    if (written < 4) /* never true */
        return 4;
    snprintf(text, sizeof text, "%02x", byte);
    if (memcmp(text, "ab", 3) == 0)
        return 5;
    sprintf(text, "<%5u>", port);
    if (text[5] == '7' && text[4] == ' ')
        return 6;
    if (!strncmp(text, "<  123", 6))
        return 7;
    return 0;
}
