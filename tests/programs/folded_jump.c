// Before its input the program leaves a condition by longjmp, thousands of times. What clang counts of the other side is then
// below zero, which llvm-cov shows as covered: how often counts, although the events of the start are folded.
// args: --stdin 1
// expect: branches=9/10 infeasible=0 open=1
// witness: stdin:"a"
// witness: stdin:"b"
// witness: stdin:""
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;
static volatile int rounds, always = 1;

static void leave(void) {
    longjmp(out, 1);
}

static void prepare(void) {
    setjmp(out);
    if (always) /* false is counted, but never taken */
        if (++rounds < 40000)
            leave();
    if (always) /* never false, but open */
        rounds = 0;
}

int main(void) {
    prepare();
    int c = getchar();
    if (c == EOF)
        return 1;
    return c == 'a' ? 2 : 3;
}
