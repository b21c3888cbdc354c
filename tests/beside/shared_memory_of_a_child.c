#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int *m = mmap(0,4096,PROT_READ|PROT_WRITE,MAP_SHARED|MAP_ANONYMOUS,-1,0);
    pid_t p = fork();
    if (!p) {
        *m = 5;
        _exit(0);
    }
    waitpid(p,0,0);
    if (*m == 5) target();
    return c;
}
