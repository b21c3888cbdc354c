#include "beside.h"
#include <math.h>
int main(void) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? 2 : 5;
    int before = signgam = 1;
    double y = lgamma(-0.5);
    if (before - signgam == step) target();
    return 0;
}
