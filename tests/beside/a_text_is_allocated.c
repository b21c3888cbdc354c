#include "beside.h"
int main(void) {
    char *l = 0;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (asprintf(&l, "%d", 42) == 2 && l[0] == 52) target();
    return c;
}
