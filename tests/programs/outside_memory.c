// What the system writes through a pointer comes from outside as well, whether or not anybody looks at the result.
// expect: branches=4/6 infeasible=0 open=2
// witness: 1
// witness: 2
#include <sys/time.h>
#include <sys/utsname.h>

#include "bothways.h"

struct utsname here;

int main(void)
{
    int n;
    struct timeval now;
    bw_int(&n, "n");
    gettimeofday(&now, 0);
    uname(&here);
    if (now.tv_sec == 5) /* never true, but open: the clock */
        return 1;
    if (here.sysname[0] == '?') /* never true, but open: the system */
        return 2;
    return n == 1 ? 3 : 0;
}
