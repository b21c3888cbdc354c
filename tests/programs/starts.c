// Constructors run before main, by priority: what stands first in the file runs last.
// expect: branches=5/6 infeasible=1
// args: --stdin 1
// witness: stdin:"y"
// witness: stdin:"z"
// witness: stdin:"a"
#include <stdio.h>

static int order;

static void __attribute__((constructor(300))) third(void) {
    order = order * 10 + 3;
}

static void __attribute__((constructor(200))) second(void) {
    order = order * 10 + 2;
}

int main(void) {
    int c = getchar();
    if (order == 23) { /* never false */
        if (c == 'z')
            return 1;
        if (c == 'y')
            return 2;
    }
    return 0;
}
