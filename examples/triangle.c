/* The classic: what kind of triangle do three sides make?
 *
 *     bothways test examples/triangle.c
 */
#include "bothways.h"

enum kind { INVALID, SCALENE, ISOSCELES, EQUILATERAL };

static enum kind classify(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0)
        return INVALID;
    if ((long)a + b <= c || (long)b + c <= a || (long)a + c <= b)
        return INVALID;
    if (a == b && b == c)
        return EQUILATERAL;
    if (a == b || b == c || a == c)
        return ISOSCELES;
    return SCALENE;
}

int main(void) {
    int a, b, c;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    return classify(a, b, c);
}
