// A lift that is told floors: open at the ninth with five on board, after it was at the first twice.
// args: --stdin 20
#include <stdio.h>
#include "bothways.h"

int main(void) {
    int floor = 0, open = 0, people = 0, first = 0, c;
    while ((c = getchar()) != EOF) {
        switch (c) {
        case '+':
            if (open || floor == 9)
                return 0;
            floor++;
            break;
        case '-':
            if (open || floor == 0)
                return 0;
            floor--;
            break;
        case 'o':
            open = !open;
            first += open && floor == 1;
            break;
        case 'i':
            if (!open || people == 8)
                return 0;
            people += floor == 1 ? 3 : 1;
            break;
        default: return 0;
        }
        if (floor == 9 && open && people == 5 && first == 2)
            return 1; // target: reachable
    }
    return 0;
}
