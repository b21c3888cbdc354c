#include "beside.h"
int gx = 1;
extern int gy __attribute__((alias("gx")));
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    gy = 5;
    if (gx == 5) target();
    return c;
}
