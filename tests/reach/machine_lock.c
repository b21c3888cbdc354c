// A lock opens after twelve right keys; each wrong one starts anew.
// args: --stdin 40
#include <stdio.h>
#include "bothways.h"

int main(void) {
    static const char key[] = "LRLLRRLRLLLR";
    int state = 0, c;
    while ((c = getchar()) != EOF) {
        state = c == key[state] ? state + 1 : 0;
        if (state == 12)
            return 1; // target: reachable
    }
    return 0;
}
