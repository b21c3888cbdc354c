#include "beside.h"
int main(int n, char **v) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int a[n + 2];
    memset(a, 0, sizeof a);
    int *p = a;
    p[n] = 6;
    if (a[n] == 6) target();
    return c;
}
