// args: --stdin 0..6
// mcdc: 30:20 independent: 30:20 is never false: 1 there; only F-- TTF TTT can happen
// What looks like a contradiction and is none: somebody may write in between, values wrap, loops come back.
// One pair does not exist, since `change` returns 1.
#include <setjmp.h>
#include <stdio.h>

static int global;
static volatile int device;
static jmp_buf again;

static void set(int *p, int value)
{
    *p = value;
}

static int change(void)
{
    return global = 1;
}

static int written(int *p, int *q, int a)
{
    int n = 0;
    *p = a;
    *q = a + 1;
    /* q may be p. */
    if (*p == a)
        n++;
    if (!global && change() && global)
        n++;
    if (device == 0 && device == 0)
        n++;
    int local = a;
    set(&local, 3);
    if (local == a)
        n++;
    return n;
}

static int wraps(unsigned char a, int b)
{
    unsigned char next = a + 1;
    if (a > 200 && next < a)
        b++;
    if (b + 1 < b)
        b = 0;
    return b;
}

static int loops(int a)
{
    int last = 0, n = 0;
    for (int i = 0; i < a; i++) {
        if (i == 2 && last == 1)
            n++;
        last = i;
    }
    return n;
}

static int jumps(int a)
{
    int tries = 0;
    if (setjmp(again) > 0 && tries > 0)
        return 1;
    tries++;
    if (a == 'j')
        longjmp(again, 1);
    return 0;
}

int main(void)
{
    int x = 0, y = 0;
    int a = getchar(), same = getchar() == 's';
    int n = written(&x, same ? &x : &y, a);
    n += wraps((unsigned char)getchar(), getchar() == 'm' ? 0x7fffffff : 0);
    n += loops(getchar() & 7);
    n += jumps(getchar());
    return n > 100;
}
