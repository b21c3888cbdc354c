// args: --stdin 0..2
// branch: 17:22 false: 17:22 is never false where 17:9 is true
// mcdc: 17:22 false: 17:22 is never false where 17:9 is true
// mcdc: 17:22 independent: 17:22 is never false where 17:9 is true; only F- TT can happen
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
