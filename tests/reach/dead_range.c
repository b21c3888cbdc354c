// Dead: a checked index is out of range two calls away.
// args: --stdin 32
#include <stdio.h>
#include "bothways.h"

static int table[16];

static int look(int at) {
    if (at >= 16)
        return -1; // target: unreachable
    return table[at];
}

static int guarded(int at) {
    if (at < 0 || at > 15)
        return 0;
    return look(at);
}

int main(void) {
    int c, sum = 0;
    while ((c = getchar()) != EOF)
        sum += guarded(c - 'a');
    return sum;
}
