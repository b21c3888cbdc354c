// The conditional operator: nested, with and without side effects, as an argument and as an address.
// expect: branches=24/24 infeasible=0
// witness: 5 1 9
// witness: 1 5 9
// witness: 9 5 1
// witness: 7 7 7
// witness: -6 0 3
// witness: 0 -1 -9
// witness: 3 2 1
// witness: 1 5 0
// witness: 5 7 9
#include "bothways.h"

static int clamp(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}

int main(void) {
    int a, b, c, hits = 0;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    int smallest = a < b ? (a < c ? a : c) : (b < c ? b : c);
    int *largest = a > b ? &a : &b;
    *largest = 0;
    hits += clamp(c, -5, 5) == 5 ? 10 : 1;
    c > 8 ? hits++ : (b = 4);
    if (smallest == 1 && hits == 11)
        return a == 0 ? 1 : 2;
    return (b ?: a) == 4; /* GNU: the condition is the value */
}
