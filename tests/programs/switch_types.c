// switch over long long, unsigned char and an expression; sparse, negative and huge labels.
// expect: branches=20/20 infeasible=0
// witness: -9000000000 255
// witness: 9000000000 128
// witness: -1 0
// witness: 0 7
// witness: 7 1
// witness: 0 255
// witness: 0 128
// witness: 2 0
// witness: -2 0
// witness: 1 0
#include "bothways.h"

int main(void) {
    long long big;
    unsigned char small;
    bw_longlong(&big, "big");
    bw_uchar(&small, "small");
    switch (big) {
    case -9000000000:
        return 1;
    case 9000000000:
        return 2;
    case -1:
        return 3;
    }
    switch (small) {
    case 255:
        return 4;
    case 128:
        return 5;
    }
    switch ((big + small) % 3) { /* negative for some */
    case -2:
        return 6;
    case 2:
        return 7;
    default:
        return 8;
    }
}
