#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    long double x = 0.1L;
    if (x * 10 != 1.0L || x + 0.9L == 1.0L) target();
    return c;
}
