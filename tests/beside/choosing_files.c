#include "beside.h"
static int f(const struct dirent *d) {
    flag++;
    return 0;
}
int main(void) {
    struct dirent **l;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    scandir("/", &l, f, 0);
    if (flag > 2) target();
    return c;
}
