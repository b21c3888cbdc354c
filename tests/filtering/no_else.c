// On the false side of an `if` without `else`, which counts nothing and is half of a goal of `--criterion mcdc`.
#include "bothways.h"

int main(void) {
    int first, second, sum = 0;
    bw_int(&first, "first");
    bw_int(&second, "second");
    if (first < 10)
        sum++;
    if (second < 10)
        sum++;
    return sum;
}
