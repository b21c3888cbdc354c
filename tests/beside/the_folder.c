#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char b[512];
    char *p = getcwd(b, 512);
    if (p == b && b[0] == 47) target();
    return 0;
}
