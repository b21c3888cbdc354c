#include "beside.h"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    setvbuf(stdout, buf, _IOFBF, 64);
    putc_unlocked(122, stdout);
    if (buf[0] == 122) target();
    return 0;
}
