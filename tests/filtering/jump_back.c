// Behind a `setjmp` that returns again, on the way out of two calls.
#include <setjmp.h>

#include "bothways.h"

static jmp_buf out;

static void inner(int value) {
    if (value == 7)
        longjmp(out, 5);
}

static void outer(int value) {
    for (int i = 0; i < 3; i++)
        inner(value - i);
}

int main(void) {
    int value, other;
    bw_int(&value, "value");
    bw_int(&other, "other");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    int jumped = setjmp(out);
    if (jumped) {
        if (other == 99)
            return 1;
        return 2;
    }
    outer(value);
    return 0;
}
