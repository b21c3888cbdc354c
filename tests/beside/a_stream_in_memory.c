#include "beside.h"
int main(void) {
    char *l = 0;
    size_t n;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = open_memstream(&l,&n);
    fputs("abc", f);
    fclose(f);
    if (n == 3 && l[2] == 99) target();
    return c;
}
