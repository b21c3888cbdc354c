#include "beside.h"
static void o(void) {
    flag = 2;
}
int main(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_once(&once,o);
    if (flag == 2) target();
    return c;
}
