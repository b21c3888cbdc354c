#include "beside.h"
static void h(int s) {
    flag = 1;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (c == 7) return 1;
    signal(SIGALRM, h);
    ualarm(1000, 0);
    usleep(20000);
    if (flag) target();
    return 0;
}
