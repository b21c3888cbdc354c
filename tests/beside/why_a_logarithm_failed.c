#include "beside.h"
#include <math.h>
int main(void) {
    char c;
    read(0, &c, 1);
    int *why = __errno_location();
    *why = 0;
    double y = log((double)(c - 107));
    if (y < -1 && *why == ERANGE) target();
    return 0;
}
