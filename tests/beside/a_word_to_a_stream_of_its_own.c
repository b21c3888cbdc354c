#include "beside.h"
static ssize_t changes(void *own, const char *text, size_t bytes) {
    if (own) ((char *)text)[1] = 'x';
    return bytes;
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    cookie_io_functions_t own = {.write = changes};
    FILE *file = fopencookie(c == 107 ? &c : NULL, "w", own);
    setvbuf(file, NULL, _IONBF, 0);
    fputs(argv[1], file);
    while ((o = getopt(argc, argv, "ax")) != -1)
        if (o == 'x') target();
    return 0;
}
