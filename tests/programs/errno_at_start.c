// A number of the command line, read by whoever trusts that `errno` is 0 where a program starts, and who leaves it set at the end.
// args: --sym-arg 3
// expect: branches=7/8 infeasible=1
// witness: arg:"12"
// witness: arg:"7x"
// witness: arg:"-7"
// witness: arg:"200"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (errno != 0) /* never true */
        return 3;
    char *end;
    (void)argc;
    long count = strtol(argv[1], &end, 10);
    if (*end != '\0')
        return 2;
    if (count < 0)
        return 1;
    if (count > 99)
        close(99);
    return 0;
}
