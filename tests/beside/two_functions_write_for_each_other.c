#include "beside.h"
static int b(int *p, int d);
static int a(int *p, int d) {
    int z = d;
    if (p) *p += 10;
    if (d) b(&z, d - 1);
    return z;
}
static int b(int *p, int d) {
    int q = 1;
    a(&q, 0);
    *p += q;
    return a(p, d);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (a(0,1) == 22) target();
    return 0;
}
