// A Roman number of at most eight letters is 1944 as far as its sum goes, and starts with M.
// args: --stdin 10
#include <stdio.h>
#include "bothways.h"

static int value(int c) {
    switch (c) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
    default: return 0;
    }
}

int main(void) {
    int total = 0, last = 0, c;
    int first = getchar();
    for (c = first; c != EOF && value(c) > 0; c = getchar()) {
        int v = value(c);
        total += v > last ? v - 2 * last : v;
        last = v;
    }
    if (first == 'M' && total == 1944)
        return 1; // target: reachable
    return 0;
}
