// A program that leaves out work when its output goes to the null device takes the same path under the judge.
// args: --stdin 4
// expect: branches=4/6 infeasible=0 open=2
// witness: stdin:"x"
// witness: stdin:"y"
#include <stdio.h>
#include <sys/stat.h>

int main(void)
{
    struct stat out = {0}, null = {0};
    if (fstat(1, &out) + stat("/dev/null", &null) < 0) /* never true, but open */
        return 2;
    if (out.st_rdev == null.st_rdev) /* never true, but open */
        return 1;
    return getchar() == 'x' ? 3 : 0;
}
