#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    signed char n = 0;
    printf("abc%hhn", &n);
    if (n == 3) target();
    return 0;
}
