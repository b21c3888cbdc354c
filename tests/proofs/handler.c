// args: --stdin 0..2
// A handler writes between two reads.
#include <signal.h>
#include <stdio.h>

static int flag;

static void handler(int signal)
{
    (void)signal;
    flag = 1;
}

int main(void)
{
    signal(SIGUSR1, handler);
    if (getchar() == 'x')
        raise(SIGUSR1);
    if (flag == 0 && flag == 0)
        return 1;
    return 0;
}
