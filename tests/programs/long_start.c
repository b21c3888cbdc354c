// Before it looks at its input the program takes more branches than fit in a run's record, in calls that are open and in
// others that are over: what depends on the input is searched all the same, and what is done first still counts.
// args: --stdin 2
// expect: branches=15/16 infeasible=1
// witness: stdin:"ab"
// witness: stdin:"aa"
// witness: stdin:"b"
// witness: stdin:""
#include <stdio.h>

static unsigned state = 1;

static int step(void) {
    state = state * 1103515245u + 12345u;
    if (state >> 16 & 1)
        return 1;
    return 0;
}

static unsigned prepare(int depth) {
    unsigned ones = 0;
    if (depth > 0)
        return prepare(depth - 1);
    for (int i = 0; i < 1200000; i++)
        if (step())
            ones++;
    return ones;
}

int main(void) {
    unsigned ones = prepare(3);
    int c = getchar();
    if (c == EOF)
        return 1;
    if (c == 'a')
        return getchar() == 'b' ? 2 : 3;
    return ones == 17 ? 4 : 5; /* never true */
}
