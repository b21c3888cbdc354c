// Constructors run by priority before main, destructors behind it; what they do decides branches.
// expect: branches=9/10 infeasible=0 open=1
// args: --stdin 1
// witness: stdin:"x"
// witness: stdin:"y"
// witness: stdin:"z"
#include <stdio.h>

static int order, c, seen;

static void __attribute__((constructor(300))) third(void) {
    order = order * 10 + 3;
}

static void __attribute__((constructor(200))) second(void) {
    order = order * 10 + 2;
}

static void __attribute__((destructor)) first_behind(void) {
    if (c == 'x')
        seen++;
}

static void __attribute__((destructor(200))) last_behind(void) {
    if (seen)
        puts("x");
}

int main(void) {
    c = getchar();
    if (order == 23) { /* never false */
        if (c == 'z')
            return 1;
        if (c == 'y')
            return 2;
    }
    return 0;
}
