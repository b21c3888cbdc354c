#include "beside.h"
#include <math.h>
int main(void) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? ERANGE : 5;
    int *why = __errno_location();
    *why = 0;
    volatile double zero = 0;
    double y = log(zero);
    if (*why == step) target();
    return 0;
}
