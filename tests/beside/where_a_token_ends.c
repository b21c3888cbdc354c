#include "beside.h"
int main(void) {
    char t[] = "a b", *s;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    strtok_r(t, " ", &s);
    if (t[1] == 0 && *s == 98) target();
    return c;
}
