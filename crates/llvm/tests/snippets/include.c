// run:
// run: a b
// run: a b c d e f
#include <stdio.h>
#include "header.h"
int main(int argc, char **argv)
{
    int total = clamp(argc, 2, 5);
#include "body.inc"
    for (int i = 0; IN_RANGE(i, 0, argc); i++)
        total += i;
    printf("%d\n", total);
    return 0;
}
