#include "beside.h"
static void e(int s, void *a) {
    if (*(int *)a == 4 && s == 3) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    on_exit(e, &other);
    other = 4;
    exit(3);
}
