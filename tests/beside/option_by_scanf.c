#include "beside.h"
// What an option sets is written by the C library.
static int verbose;
int main(int argc, char **argv) {
    int *where = &verbose;
    for (int i = 1; i < argc; i++)
        if (argv[i][1] == 'v')
            verbose = 1;
    if (scanf("%1d", where) == 1 && verbose == 7)
        target();
    return 0;
}
