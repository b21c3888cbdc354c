// In the count of an outcome that comes after an endless loop.
// args: --timeout 100ms --iterations 40
#include "bothways.h"
#include <unistd.h>

static volatile int forever = 1;

int main(void) {
    int value, more;
    bw_int(&value, "value");
    bw_int(&more, "more");
    if (value % 2 == 2) /* never true, which takes every path to find out */
        return 9;
    for (int i = 0; i < 2; i++)
        if (more == i)
            value++;
    if (value == 3)
        for (;;)
            pause(); /* an empty loop would fill the log of events, and then counts are not exact */
    if (forever)
        return 0;
    return 1;
}
