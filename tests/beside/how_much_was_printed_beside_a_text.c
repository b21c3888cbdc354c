#include "beside.h"
// The format is no constant; a text with a sign of percent is not it.
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    char format[] = "%s..";
    format[2] = '%', format[3] = 'n';
    printf(format, "50%", &n);
    if (n == 3) target();
    return 0;
}
