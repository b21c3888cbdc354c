// In code behind `if (x) return;`, which no counter of its own counts: statements, and exits of `--criterion mcdc`.
// criterion: statement
#include "bothways.h"

static int kind(int a, int b) {
    if (a <= 0 || b <= 0)
        return 0;
    if (a >= 100 || b >= 100)
        return 0;
    if (a + b == 30)
        return 3;
    if (a != b)
        return 2;
    return 1;
}

int main(void) {
    int a, b;
    bw_int(&a, "a");
    bw_int(&b, "b");
    return kind(a, b);
}
