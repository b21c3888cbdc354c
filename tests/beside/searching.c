#include "beside.h"
static int cmp(const void *a, const void *b) {
    flag = 6;
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    int v[3] = {1,2,3}, k = 2;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (bsearch(&k,v,3,sizeof *v,cmp) == v + 1) target();
    return flag;
}
