#include "beside.h"
static void h(int s) {
    target();
    _exit(0);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    signal(SIGFPE, h);
    volatile int z = 0;
    return 3 / z;
}
