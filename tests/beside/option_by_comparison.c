#include "beside.h"
// What an option sets is written by a function that `qsort` calls.
static int verbose;
static int order(const void *a, const void *b) {
    int c = *(const char *)a - *(const char *)b;
    if (c == 3)
        verbose = 1;
    return c;
}
int main(int argc, char **argv) {
    char two[2] = {0};
    for (int i = 1; i < argc; i++)
        if (argv[i][1] == 'v')
            verbose = 1;
    two[0] = getchar();
    two[1] = 'a';
    qsort(two, 2, 1, order);
    if (verbose)
        target();
    return 0;
}
