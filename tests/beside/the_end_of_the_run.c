#include "beside.h"
static void e(void) {
    if (flag == 4) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    atexit(e);
    flag = 4;
    return c;
}
