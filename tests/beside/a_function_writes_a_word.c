#include "beside.h"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) fix(argv[1]);
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
