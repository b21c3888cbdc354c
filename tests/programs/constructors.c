// What a constructor does is done before main: nothing may be concluded from the initial values alone
// expect: branches=6/6 infeasible=0
// args: --sym-env SWITCH:4 --stdin 1
#include <stdio.h>
#include <stdlib.h>

static int started;

static void __attribute__((constructor)) start(void)
{
    if (getenv("SWITCH"))
        started = 2;
    else
        started = 1;
}

int main(void)
{
    int c = getchar();
    if (started == 1 && c == 'x')
        return 1;
    return 0;
}
