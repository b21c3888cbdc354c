#include "beside.h"
#include <setjmp.h>
static sigjmp_buf b;
static void h(int s) {
    siglongjmp(b, 2);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    signal(SIGSEGV, h);
    if (sigsetjmp(b, 1) == 2) {
        target();
        return 0;
    }
    *(volatile int *)0 = 1;
    return c;
}
