#include "beside.h"
static int *g;
static int f(int d) {
    int x = d;
    if (d == 0) {
        *g = 9;
        return 0;
    }
    if (d == 2) g = &x;
    f(d - 1);
    return x;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (f(2) == 9) target();
    return 0;
}
