// A file with its own `main`, and a `static` function that nothing calls
// function: orphan
// expect: branches=6/6 infeasible=0
#include <stdio.h>

static inline int orphan(const char name[], unsigned level)
{
    if (name[0] == 'r' && name[1] == 0)
        return level > 100;
    return level == 77 ? -1 : 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        puts(argv[1]);
    return 0;
}
