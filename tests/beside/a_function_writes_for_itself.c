#include "beside.h"
static void in(int *p) {
    int y = 4;
    if (!p) {
        in(&y);
        if (y == 7) target();
    }
    else *p = 7;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    in(0);
    return 0;
}
