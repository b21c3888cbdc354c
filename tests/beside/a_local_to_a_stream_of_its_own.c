#include "beside.h"

static ssize_t changes(void *own, const char *text, size_t bytes) {
    ((char *)text)[0] = 'x';
    return bytes;
}
int main(void) {
    char c, line[] = "line";
    read(0, &c, 1);
    cookie_io_functions_t own = {.write = changes};
    FILE *file = fopencookie(NULL, "w", own);
    setvbuf(file, NULL, _IONBF, 0);
    if (c == 107) fputs(line, file);
    if (line[0] == 'x') target();
    return 0;
}
