// Variables without a definition; with every qualifier
// function: poll
// expect: branches=10/10 infeasible=0
#include <signal.h>

extern volatile sig_atomic_t pending;
extern const volatile unsigned device;
extern char *const *volatile names;
extern _Atomic int users;
extern volatile int *const volatile slots[2];

int poll(int wanted)
{
    if (pending == 3)
        return 1;
    if (device > 0x80)
        return 2;
    if (users == wanted)
        return 3;
    if (names)
        return 4;
    if (slots[1])
        return 5;
    return 0;
}
