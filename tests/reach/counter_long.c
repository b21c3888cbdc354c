// A hundred and fifty letters, and no other: a loop with a counter of two kinds.
// args: --stdin 200
#include <stdio.h>
#include "bothways.h"

int main(void) {
    int letters = 0, others = 0, c;
    while ((c = getchar()) != EOF) {
        if (c >= 'a' && c <= 'z')
            letters++;
        else
            others++;
    }
    if (letters == 150 && others == 3)
        return 1; // target: reachable
    return 0;
}
