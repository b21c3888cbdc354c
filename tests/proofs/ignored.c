// args: --stdin 0..2
// branch: 16:22 false: 16:22 is never false where 16:9 is true
// mcdc: 16:22 independent: 16:22 is never false where 16:9 is true; only F- TT can happen
// Signals without a handler write nothing.
#include <signal.h>
#include <stdio.h>

static int flag;

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_DFL);
    if (getchar() == 'x')
        flag = 1;
    if (flag == 0 && flag == 0)
        return 1;
    return 0;
}
