// A member that a macro of a header hides, and a function with a macro of its own name around it
// function: install
// expect: branches=5/6 infeasible=1
#include <signal.h>
#include <stddef.h>

#define install(number, action) (install)(number, action)

int(install)(int number, const struct sigaction *action)
{
    if (!action)
        return -1;
    if (action->sa_flags & SA_SIGINFO)
        return 1;
    return action->sa_handler == SIG_IGN ? 2 : number; // never: no function that a callback may be is there
}
