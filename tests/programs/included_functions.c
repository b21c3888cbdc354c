// Functions that stand in an included file, with macros inside macros in the head of a loop, once for each width
// args: --stdin 8
// expect: branches=6/6 infeasible=0
// witness: stdin:"  xx!!"
// witness: stdin:"  "
#ifndef WIDTH
#include <stdio.h>

#define HAS_CHARS(at, end, count) ((end) - (at) >= ((count) * WIDTH))
#define HAS_CHAR(at, end) HAS_CHARS(at, end, 1)
#define NAME_(width) blanks##width
#define NAME(width) NAME_(width)

#define WIDTH 1
#include "included_functions.c"
#undef WIDTH
#define WIDTH 2
#include "included_functions.c"

int main(void)
{
    char text[8];
    long length = (long)fread(text, 1, sizeof text, stdin);
    return blanks1(text, text + length) + blanks2(text, text + length);
}
#else
static int NAME(WIDTH)(const char *at, const char *end)
{
    int count = 0;
    for (; HAS_CHAR(at, end); at += WIDTH) {
        switch (at[0]) {
        case ' ':
            count++;
            break;
        case '!':
            return count;
        }
    }
    return count;
}
#endif
