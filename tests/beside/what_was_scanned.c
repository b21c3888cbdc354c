#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    sscanf("5 6", "%*d %d", &n);
    if (n == 6) target();
    return 0;
}
