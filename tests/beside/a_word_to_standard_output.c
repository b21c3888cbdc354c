#include "beside.h"
static ssize_t changes(void *own, const char *text, size_t bytes) {
    if (own && text[0] == '-') ((char *)text)[1] = 'x';
    return bytes;
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    cookie_io_functions_t own = {.write = changes};
    stdout = fopencookie(c == 107 ? &c : NULL, "w", own);
    setvbuf(stdout, NULL, _IONBF, 0);
    puts(argv[1]);
    while ((o = getopt(argc, argv, "ax")) != -1)
        if (o == 'x') flag = 9;
    if (flag == 9) target();
    return 0;
}
