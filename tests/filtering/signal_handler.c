// In a signal handler, which a path raises that takes no other open branch.
// drops: no
#include <signal.h>
#include <stdlib.h>

#include "bothways.h"

static int wanted;

static void handler(int number) {
    if (wanted == 1234 && number == SIGUSR1)
        exit(3);
    exit(4);
}

int main(void) {
    int value;
    bw_int(&value, "value");
    bw_int(&wanted, "wanted");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    signal(SIGUSR1, handler);
    for (int i = 0; i < 3; i++)
        if (value == i * 10)
            raise(SIGUSR1);
    return 0;
}
