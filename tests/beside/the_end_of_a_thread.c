#include "beside.h"
static void d(void *p) {
    flag = 2;
}
static void *t(void *a) {
    pthread_setspecific(*(pthread_key_t *)a, a);
    return 0;
}
int main(void) {
    pthread_key_t k;
    pthread_t p;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_key_create(&k,d);
    pthread_create(&p,0,t,&k);
    pthread_join(p,0);
    if (flag == 2) target();
    return c;
}
