// An argument vector: strings that are compared, one that needs a value
// function: options
// expect: branches=16/16 infeasible=0
#include <stdlib.h>
#include <string.h>

int options(int argc, char **argv)
{
    int level = 0;
    if (argc > 3)
        return -4;
    for (int i = 1; i < argc; i++) {
        if (!argv[i])
            return -3;
        if (strcmp(argv[i], "-v") == 0) {
            level++;
        } else if (strcmp(argv[i], "-n") == 0) {
            if (++i >= argc || !argv[i])
                return -1;
            level += atoi(argv[i]);
        } else {
            return -2;
        }
    }
    return level == 42 ? 42 : level > 0;
}
