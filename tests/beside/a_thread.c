#include "beside.h"
static void *t(void *a) {
    *(int *)a = 9;
    return 0;
}
int main(void) {
    char c;
    int loc = 1;
    pthread_t p;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_create(&p,0,t,&loc);
    pthread_join(p,0);
    if (loc == 9) target();
    return c;
}
