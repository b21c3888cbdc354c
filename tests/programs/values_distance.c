// The distance from one variable to another, added to the address of the second, is the first
// expect: branches=4/4 infeasible=0
// args: --stdin 1
// witness: stdin:"x"
// witness: stdin:"y"
// witness: stdin:"q"
#include <stdint.h>
#include <stdio.h>

static int first = 1, second = 2, third = 3;
static uintptr_t far;
static int32_t near;

static void measure(int *to, int *from, int *other)
{
    far = (uintptr_t)to - (uintptr_t)from;
    near = (int32_t)((uintptr_t)other - (uintptr_t)from);
}

static int *away(int *from)
{
    return (int *)((uintptr_t)from + far);
}

static int *nearby(int *from)
{
    return (int *)((char *)from + near);
}

int main(void)
{
    int c = getchar();
    measure(&first, &second, &third);
    *away(&second) = c;
    *nearby(&second) = c;
    if (first == 'x')
        return 3;
    if (third == 'y')
        return 4;
    return 0;
}
