// In a signal handler that is passed in a structure.
// drops: no
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bothways.h"

static int wanted;

static void handler(int number) {
    if (wanted > 77 && number > 0)
        exit(3);
    exit(4);
}

int main(void) {
    int value;
    struct sigaction action;
    bw_int(&value, "value");
    bw_int(&wanted, "wanted");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR2, &action, 0);
    if (value == 5)
        raise(SIGUSR2);
    return 0;
}
