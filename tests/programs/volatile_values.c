// volatile: every access is made, and the value that is read back is still the input's.
// expect: branches=8/8 infeasible=0
// witness: 5
// witness: 40
// witness: -1
// witness: 21
// witness: 41
// witness: 45
#include "bothways.h"

static volatile int port;
static int log_of[4];

static int exchange(int value) {
    int old = port;
    port = value;
    return old;
}

int main(void) {
    int x;
    bw_int(&x, "x");
    exchange(x);
    int seen = exchange(2 * x);
    if (seen < 0)
        return 1;
    volatile unsigned char low = (unsigned char)port;
    if (low == 42)
        return 2;
    log_of[low & 3]++;
    if (log_of[2] && port > 50) /* an even number that is no multiple of 4 */
        return 3;
    return log_of[1]; /* always 0 */
}
