// The function under test is `main` itself
// function: main
// expect: branches=8/8 infeasible=0
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3)
        return 2;
    if (!argv[1])
        return 3;
    return strcmp(argv[1], "go") == 0 ? 0 : 1;
}
