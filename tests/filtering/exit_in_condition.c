// In the count of an outcome that no run decides: it counts when a callee of the condition ends the program.
#include <stdlib.h>

#include "bothways.h"

static int check(int value) {
    if (value == 3)
        exit(2);
    return 1;
}

int main(void) {
    int value, more;
    bw_int(&value, "value");
    bw_int(&more, "more");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    for (int i = 0; i < 3; i++)
        if (more == i)
            value++;
    if (check(value))
        return 0;
    return 1;
}
