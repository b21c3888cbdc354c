// Function pointers: a table of operations called at a symbolic index, and a callback with its own argument.
// expect: branches=10/10 infeasible=0
// witness: 0 3 4
// witness: 1 30 7
// witness: 2 6 7
// witness: 3 1 1
// witness: 0 40 2
// witness: 2 6 8
// witness: 1 7 30
// witness: 2 1 42
#include "bothways.h"

typedef int (*operation)(int, int);

static int add(int a, int b) {
    return a + b;
}

static int difference(int a, int b) {
    return a > b ? a - b : b - a;
}

static int product(int a, int b) {
    return a * b;
}

static const operation operations[] = {add, difference, product};

static int apply(operation run, int a, int b, int limit) {
    int result = run(a, b);
    return result > limit ? limit : result;
}

int main(void) {
    unsigned which;
    int a, b;
    bw_uint(&which, "which");
    bw_int(&a, "a");
    bw_int(&b, "b");
    if (which > 2)
        return 1;
    int result = apply(operations[which], a, b, 42);
    if (result == 42)
        return operations[which] == product ? 2 : 3;
    return result == 23;
}
