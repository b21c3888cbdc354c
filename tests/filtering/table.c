// In functions of a table, called by number, one of which calls itself.
#include "bothways.h"

static int zero(int value) {
    return value == 0;
}
static int down(int value) {
    if (value > 2 || value < 0)
        return -1;
    return value ? down(value - 1) : 7;
}

static int (*const table[])(int) = {zero, down};

int main(void) {
    int which, value;
    bw_int(&which, "which");
    bw_int(&value, "value");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    if (which < 0 || which > 1)
        return 1;
    if (table[which](value))
        return 2;
    return 0;
}
