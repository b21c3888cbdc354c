// Behind the second call of a function that is called from two places, its own branches covered by the first.
#include "bothways.h"

static int sign(int value) {
    if (value < 0)
        return -1;
    return value > 0;
}

int main(void) {
    int a, b;
    bw_int(&a, "a");
    bw_int(&b, "b");
    int first = sign(a);
    int second = sign(b);
    if (first < second)
        return 1;
    if (first == 1 && second == -1)
        return 2;
    return sign(a) + sign(b);
}
