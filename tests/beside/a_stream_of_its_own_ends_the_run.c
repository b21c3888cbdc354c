#include "beside.h"
static ssize_t ends(void *own, const char *text, size_t bytes) {
    if (flag != 1) _exit(0);
    return bytes;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c == 107) flag = 1;
    cookie_io_functions_t own = {.write = ends};
    FILE *file = fopencookie(NULL, "w", own);
    setvbuf(file, NULL, _IONBF, 0);
    putc('a', file);
    if (flag == 1) target();
    return 0;
}
