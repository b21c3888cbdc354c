#include "beside.h"
static void cl(int *p) {
    if (*p == 8) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int v __attribute__((cleanup(cl))) = 1;
    v = 8;
    return c;
}
