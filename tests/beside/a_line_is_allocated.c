#include "beside.h"
int main(void) {
    char *l = 0;
    size_t n = 0;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("hello\n", 6, "r");
    if (getline(&l,&n,f) == 6 && l[1] == 101) target();
    return c;
}
