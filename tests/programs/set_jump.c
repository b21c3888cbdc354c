// setjmp and longjmp: out of a recursion, with a value, past variables that keep theirs.
// expect: branches=16/16 infeasible=0
// witness: 5 7
// witness: 9 0
// witness: 2 77
// witness: 0 1
// witness: -2 1
// witness: 1 76
// witness: 9 1
#include <setjmp.h>

#include "bothways.h"

static jmp_buf out;

static int descend(int depth, int code) {
    if (depth > 3)
        longjmp(out, code); /* 0 arrives as 1 */
    if (depth < 0)
        return -1;
    return depth == 0 ? code : descend(depth - 1, code) + 1;
}

static int attempt(int depth, int code) {
    volatile int began = 0;
    int jumped = setjmp(out);
    if (jumped)
        return began * 1000 + jumped;
    began = 1;
    return descend(depth, code);
}

int main(void) {
    int depth, code;
    bw_int(&depth, "depth");
    bw_int(&code, "code");
    int result = attempt(depth, code);
    if (result == 1007)
        return 1;
    if (result == 1001 && code != 1)
        return 2;
    return result == 79 ? 3 : 4;
}
