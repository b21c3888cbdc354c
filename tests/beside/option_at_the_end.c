#include "beside.h"
// What no option leads to is called behind `main`.
static int c;
static void usage(void) {
    if (c == 'x')
        target();
}
static void end(void) { usage(); }
int main(int argc, char **argv) {
    atexit(end);
    if (argc > 1 && argv[1][1] == 'h')
        usage();
    c = getchar();
    exit(0);
}
