#include "beside.h"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("zz\n", 3, "r");
    setvbuf(f, buf, _IOFBF, 64);
    fgetc(f);
    if (buf[0] == 122) target();
    return c;
}
