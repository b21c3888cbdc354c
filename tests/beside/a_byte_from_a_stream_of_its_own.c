#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    fgetc(f);
    if (flag == 6) target();
    return 0;
}
