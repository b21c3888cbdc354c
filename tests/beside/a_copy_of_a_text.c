#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char *p = strdup("abc");
    if (p[1] == 98) target();
    return 0;
}
