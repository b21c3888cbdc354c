#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char t[] = "12x";
    char *e;
    strtol(t,&e,10);
    *e = 0;
    if (t[2] == 0) target();
    return 0;
}
