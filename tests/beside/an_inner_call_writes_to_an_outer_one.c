#include "beside.h"
static int f(int d, int *o) {
    int x = d;
    if (o && d == 1) *o = 40;
    if (d > 0) f(d - 1, &x);
    return x;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (f(2,0) == 40) target();
    return 0;
}
