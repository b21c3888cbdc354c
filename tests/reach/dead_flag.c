// Dead: a flag is cleared in every way that leads to where it is asked for.
// args: --stdin 32
#include <stdio.h>
#include "bothways.h"

static int armed;

static void step(int c) {
    if (c == 'a')
        armed = 1;
    if (c == 'x')
        armed = 0;
}

int main(void) {
    int c, seen = 0;
    while ((c = getchar()) != EOF) {
        step(c);
        seen += c == 'q';
    }
    armed = 0;
    if (seen > 3 && armed)
        return 1; // target: unreachable
    return 0;
}
