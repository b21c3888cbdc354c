// exit deep in the calls, a handler from atexit, _Exit, and code that runs only if a callee came back.
// expect: branches=10/10 infeasible=0
// witness: 1 5
// witness: 2 5
// witness: 3 6
// witness: 3 5
// witness: 3 100
// witness: 3 7
#include <stdlib.h>

#include "bothways.h"

static int checks;

static void at_end(void) {
    if (checks > 1)
        checks = 0;
}

static int require(int holds, int status) {
    if (!holds)
        exit(status);
    return ++checks;
}

int main(void) {
    int mode, value;
    bw_int(&mode, "mode");
    bw_int(&value, "value");
    atexit(at_end);
    if (mode == 1)
        _Exit(3);
    require(mode != 2, 4);
    int done = require(value > 5, 5) + require(value < 50, 6);
    return done == 5 && value == 6;
}
