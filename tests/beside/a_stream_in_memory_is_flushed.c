#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char *l = 0;
    size_t n = 0;
    FILE *f = open_memstream(&l,&n);
    fputs("abc", f);
    fflush(f);
    if (n == 3) target();
    return 0;
}
