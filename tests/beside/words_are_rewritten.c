#include "beside.h"
// The program writes to its own words before it looks for options.
int main(int argc, char **argv) {
    char **list = malloc((argc + 1) * sizeof *list);
    if (!list)
        return 1;
    memcpy(list, argv, (argc + 1) * sizeof *list);
    int c = getchar();
    for (int i = 1; i < argc; i++)
        list[i][1] = c;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1] == 'b')
            target();
    return 0;
}
