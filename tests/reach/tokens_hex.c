// Hexadecimal digits give a magic number.
// args: --stdin 10
#include <stdio.h>
#include "bothways.h"

int main(void) {
    unsigned v = 0;
    int c, n = 0;
    while ((c = getchar()) != EOF && n < 8) {
        if (c >= '0' && c <= '9')
            v = v << 4 | (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (unsigned)(c - 'a' + 10);
        else
            break;
        n++;
    }
    if (v == 0xdecafbad)
        return 1; // target: reachable
    return 0;
}
