#include "beside.h"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) for (char **p = argv + 1; *p; p++) {
        char *q = *p;
        while (*q) {
            if (*q == 97) *q = 120;
            q++;
        }
    }
    ;
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
