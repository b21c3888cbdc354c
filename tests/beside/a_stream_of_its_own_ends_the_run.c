#include "beside.h"
static ssize_t ends(void *own, const char *text, size_t bytes) {
    if (text[0] == 'k') target();
    _exit(0);
}
int main(void) {
    char c;
    read(0, &c, 1);
    cookie_io_functions_t own = {.write = ends};
    FILE *file = fopencookie(NULL, "w", own);
    setvbuf(file, NULL, _IONBF, 0);
    putc(c, file);
    if (c != 'k') return 1;
    return 0;
}
