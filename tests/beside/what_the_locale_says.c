#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    struct lconv *l = localeconv();
    if (l->decimal_point[0] == 46) target();
    return 0;
}
