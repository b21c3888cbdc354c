#include "beside.h"
static void say(const char *f, ...) {
    va_list a;
    va_start(a, f);
    vfprintf(stdout, f, a);
    va_end(a);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    say("ab%n", &n);
    if (n == 2) target();
    return 0;
}
