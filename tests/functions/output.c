// A stream that is written to, and that may refuse at any time
// function: save
// expect: branches=10/10 infeasible=0
#include <stdio.h>

int save(FILE *out, int number)
{
    if (!out)
        return -1;
    if (fputs("head\n", out) < 0)
        return -2;
    if (fwrite(&number, sizeof number, 1, out) != 1)
        return -3;
    if (number > 100 && fputc('x', out) == EOF)
        return -4;
    return 0;
}
