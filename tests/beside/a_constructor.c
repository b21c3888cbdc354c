#include "beside.h"
static void __attribute__((constructor)) init(void) {
    flag = getenv("PATH") != 0;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (flag) target();
    return c;
}
