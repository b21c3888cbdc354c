#include "beside.h"
static int *keep;
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    for (int i = 0; i < 3; i++) {
        int *p = __builtin_alloca(4);
        *p = i;
        if (i == 1) keep = p;
    }
    if (*keep == 1) target();
    return 0;
}
