#include "beside.h"
static void w(const void *n, VISIT v, int d) {
    flag += 1;
}
static int cmp(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    void *root = 0;
    int k = 2;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    tsearch(&k,&root,cmp);
    twalk(root,w);
    if (flag) target();
    return 0;
}
