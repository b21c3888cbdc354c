#include "beside.h"
static int f(const char *n, const struct stat *s, int t, struct FTW *w) {
    flag = 3;
    return 1;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (nftw("/", f, 3, FTW_PHYS) == 1) target();
    if (flag != 3) puts("n");
    return c;
}
