// args: --stdin 0..6
// branch: 18:9 true: 18:9 is never true: an address in 1 object there
// branch: 30:9 true: 30:9 is never true: mode is {0, 2} there (assigned at line 20)
// branch: 33:13 true: 33:13 is never true: {0, 1, 3, 5} there
// mcdc: 18:9 true: 18:9 is never true: an address in 1 object there
// mcdc: 30:9 true: 30:9 is never true: mode is {0, 2} there (assigned at line 20)
// mcdc: 33:13 true: 33:13 is never true: {0, 1, 3, 5} there
// Control comes back into main by longjmp; what variables and tables ever hold is as it is.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf again;
static int mode;                  /* 0, 2 */
static int levels[4] = {1, 1, 3}; /* 0, 1, 3, 5 */

static void fail(const char *why)
{
    if (why == NULL)
        puts("?");
    mode = 2;
    longjmp(again, 1);
}

int main(void)
{
    volatile int rounds = 0;
    int first = getchar();
    if (setjmp(again) && rounds > 3)
        return 2;
    if (mode == 1)
        return 3;
    for (int c; rounds < 9 && (c = getchar()) != EOF; rounds++) {
        if (levels[c & 3] == 4)
            return 4;
        if (c == 'x')
            levels[(c + rounds) & 3] = 5;
        if (c == first)
            fail("again");
    }
    return 0;
}
