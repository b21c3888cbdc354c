// A lock of fourteen turns, each in the right direction; a wrong one starts it anew.
// args: --stdin 16
#include <stdio.h>
#include "bothways.h"

int main(void) {
    static const char *const turns = "lrrlrlllrrlrrl";
    int at = 0, c;
    while ((c = getchar()) != EOF) {
        if (c != 'l' && c != 'r')
            return 0;
        at = c == turns[at] ? at + 1 : 0;
        if (turns[at] == '\0')
            return 1; // target: reachable
    }
    return 0;
}
