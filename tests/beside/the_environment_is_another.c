#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? 1 : 5;
    char **before = environ;
    clearenv();
    if ((environ != before) == step) target();
    return 0;
}
