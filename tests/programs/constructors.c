// What a constructor does is done before main: nothing may be concluded from the initial values alone
// expect: branches=3/4 infeasible=1
// args: --stdin 1
// witness: stdin:"x"
// witness: stdin:"y"
#include <stdio.h>

static int started;

static void __attribute__((constructor)) start(void)
{
    started = 1;
}

int main(void)
{
    int c = getchar();
    if (started == 1) { /* never false */
        if (c == 'x')
            return 1;
    }
    return 0;
}
