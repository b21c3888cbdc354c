// run:
// run: a
// run: a b
// run: a b c
// run: a b c d
// run: a b c d e
// leaves
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf state;
static int depth;
static int may_leave(int n)
{
    if (n == 4) exit(3);
    if (n == 3) longjmp(state, n);
    return n > 1;
}
static int f(int n)
{
    int r = 0;
    for (int i = 0; i <= n; i++) {
        if (may_leave(i)) { r++; if (may_leave(i + 1) && n > 2) r += 2; }
        r += may_leave(0) ? 1 : may_leave(1) || i;
    }
    while (r > 5) { r--; if (r == 6) abort(); }
    switch (may_leave(n)) { case 0: r++; break; case 1: r += may_leave(2); }
    return r;
}
int main(int argc, char **argv)
{
    if (setjmp(state)) {
        if (depth++ > 1) return 5;
    } else {
        depth = 0;
    }
    printf("%d\n", f(argc - 1));
    return 0;
}
