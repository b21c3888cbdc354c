#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int **a = malloc(8);
    int x = 1;
    a[0] = &x;
    int **b = realloc(a, 800);
    *b[0] = 9;
    if (x == 9) target();
    return 0;
}
