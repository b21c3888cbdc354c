#include "beside.h"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen(buf, 64, "w");
    fputc_unlocked(122, f);
    fflush_unlocked(f);
    if (buf[0] == 122) target();
    return 0;
}
