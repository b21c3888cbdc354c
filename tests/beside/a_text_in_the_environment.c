#include "beside.h"
static char v[] = "AB=1";
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    putenv(v);
    v[3] = 50;
    if (!strcmp(getenv("AB"), "2")) target();
    return c;
}
