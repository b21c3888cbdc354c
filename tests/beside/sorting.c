#include "beside.h"
static int cmp(const void *a, const void *b) {
    flag++;
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    int v[3] = {3,1,2};
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    qsort(v,3,sizeof *v,cmp);
    if (flag > 1) target();
    return v[0];
}
