// A scanner of brackets with a stack that has room for three: what closes was opened, and errors are numbers that only it gives.
// expect: branches=23/28 infeasible=5
// witness: 40 91 41 93 97 0
// witness: 40 40 40 40 40 0
// witness: 41
#include "bothways.h"

enum { OK, FULL, EMPTY, UNKNOWN };
static unsigned char stack[3];
static unsigned depth;

static int push(unsigned char c) {
    if (depth == 3)
        return FULL;
    stack[depth++] = c;
    return OK;
}

static int pop(void) {
    if (depth == 0)
        return EMPTY;
    depth--;
    return OK;
}

int main(void) {
    unsigned char c;
    int result = OK;
    bw_uchar(&c, "c");
    while (c != 0 && result == OK) {
        switch (c) {
        case '(': case '[':
            result = push(c);
            if (result == EMPTY) /* never true */
                return 1;
            break;
        case ')': case ']':
            result = pop();
            if (result == FULL) /* never true */
                return 2;
            break;
        default:
            if (c > 255) /* never true, and the front end does not say so: c is an int here */
                return 3;
        }
        if (depth > 3) /* never true */
            return 4;
        if (result >= UNKNOWN) /* never true */
            return 5;
        bw_uchar(&c, "c");
    }
    return result;
}
