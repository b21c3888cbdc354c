#include "beside.h"
#include <time.h>
int main(void) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? 1 : 5;
    setenv("TZ", "ABC-3", 1);
    char *before = tzname[0];
    char text[20];
    struct tm broken = {0};
    strftime(text, 20, "%Z", &broken);
    if ((before != tzname[0]) == step) target();
    return 0;
}
