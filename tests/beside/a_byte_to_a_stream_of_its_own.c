#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    setvbuf(f,0,_IONBF,0);
    putc_unlocked(120, f);
    if (flag == 5) target();
    return 0;
}
