#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    printf("abc%1$n", &n);
    if (n == 3) target();
    return 0;
}
