// What the compiler knows: constants and sizes of objects as a build without optimisation sees them; a prefetch does nothing.
// expect: branches=8/14 infeasible=6
// witness: 77
// witness: 0
#include "bothways.h"

static char table[12];

static int fixed(int value) {
    if (__builtin_constant_p(value)) /* never true: a parameter */
        return 1;
    return 2;
}

static unsigned long room(const char *text) {
    return __builtin_object_size(text, 0);
}

int main(void) {
    int x, five = 5;
    char text[20] = "";
    bw_int(&x, "x");
    if (fixed(3) == 2) /* never false */
        x++;
    if (__builtin_constant_p(five)) /* never true: a variable */
        return 1;
    if (__builtin_constant_p(x)) /* never true */
        return 2;
    if (room(text) == 20) /* never true: nobody looks into callers */
        return 3;
    if (room(table) == 12) /* never true */
        return 3;
    __builtin_prefetch(&text[x & 15]);
    if (x == 78)
        return 4;
    return 0;
}
