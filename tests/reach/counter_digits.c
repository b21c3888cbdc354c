// A number has seven digits, and they are all the same.
// args: 
#include "bothways.h"

int main(void) {
    int n;
    bw_int(&n, "n");
    int digits = 0, last = n % 10;
    if (n <= 0)
        return 0;
    for (; n > 0; n /= 10) {
        if (n % 10 != last)
            return 0;
        digits++;
    }
    if (digits == 7)
        return 1; // target: reachable
    return 0;
}
