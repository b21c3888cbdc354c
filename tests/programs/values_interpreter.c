// An interpreter of a fixed program: the depth of its stack follows from where it is, and a jump goes backward only.
// expect: branches=21/28 infeasible=7
// witness: 5 1
#include "bothways.h"

enum { PUSH, INPUT, LESS, JUMP_IF, ADD, STOP, BROKEN };

struct step { unsigned char code; int value; };
static const struct step program[] = {
    {PUSH, 0}, {PUSH, 1}, {ADD, 0}, {INPUT, 0}, {LESS, 0}, {PUSH, 0}, {JUMP_IF, 0}, {STOP, 0},
};

static int stack[4];
static unsigned depth;

static int pop(int *out) {
    if (depth == 0) /* never true */
        return -1;
    *out = stack[--depth];
    return 0;
}

static int push(int value) {
    if (depth == 4) /* never true */
        return -1;
    stack[depth++] = value;
    return 0;
}

int main(void) {
    int limit, a, b;
    unsigned at = 0;
    for (;;) {
        const struct step *now = &program[at];
        unsigned from = at++;
        switch (now->code) {
        case PUSH:
            if (push(now->value)) /* never true */
                return 1;
            break;
        case INPUT:
            bw_int(&limit, "limit");
            push(limit);
            break;
        case LESS:
            if (pop(&a)) /* never true */
                return 2;
            if (pop(&b)) /* never true */
                return 2;
            push(b < a);
            break;
        case ADD:
            pop(&a);
            pop(&b);
            push(a + b);
            break;
        case JUMP_IF:
            pop(&a);
            pop(&b);
            if (b)
                at = a;
            break;
        case STOP:
            return 0;
        default: /* never true */
            return 3;
        }
        if (at > from + 1) /* never true */
            return 4;
    }
}
