// Paper, Table 1: three kinds of triangles.
// args: 
#include "bothways.h"

static int kind(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0)
        return 0;
    if (a >= 1 << 20 || b >= 1 << 20 || c >= 1 << 20)
        return 0;
    if (a + b <= c || b + c <= a || a + c <= b)
        return 0;
    int same = (a == b) + 2 * (b == c) + 4 * (a == c);
    if (same == 7)
        return 3; // target: reachable
    if (same != 0)
        return 2; // target: reachable
    return 1; // target: reachable
}

int main(void) {
    int a;
    bw_int(&a, "a");
    int b;
    bw_int(&b, "b");
    int c;
    bw_int(&c, "c");
    return kind(a, b, c);
}
