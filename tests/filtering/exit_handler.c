// In an exit handler, whose branch hangs on what was decided before.
// drops: no
#include <stdlib.h>

#include "bothways.h"

static int steps;

static void at_end(void) {
    if (steps == 3)
        steps = 0;
}

int main(void) {
    atexit(at_end);
    for (int i = 0; i < 3; i++) {
        int value;
        bw_int(&value, "value");
        if (value > 5)
            steps++;
    }
    return 0;
}
