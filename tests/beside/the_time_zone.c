#include "beside.h"
#include <time.h>
int main(void) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? -10800 : 5;
    setenv("TZ", "ABC-3", 1);
    timezone = 0;
    time_t now = 0;
    localtime(&now);
    if (timezone == step) target();
    return 0;
}
