#include "beside.h"
// What an option sets is written by a handler.
static volatile sig_atomic_t verbose;
static void on(int signal) { verbose = signal; }
int main(int argc, char **argv) {
    signal(SIGUSR1, on);
    for (int i = 1; i < argc; i++)
        if (argv[i][1] == 'v')
            verbose = 1;
    if (getchar() == 'x')
        raise(SIGUSR1);
    if (verbose)
        target();
    return 0;
}
