// A switch whose labels are inside a loop (Duff's device), and continue in a switch.
// expect: branches=25/26 infeasible=1
// witness: "abcdefgh" 8
// witness: "abcdefgh" 5
// witness: "\x01\x01\x01\x01\x01\x01\x01\x01" 6
// witness: "abcdefgh" 7
// witness: "abcdefgh" 0
// witness: "\x02\x02zzzzzz" 3
// witness: "abcdefgh" 200
#include "bothways.h"

static unsigned add(const unsigned char *from, unsigned count) {
    unsigned sum = 0, rounds = (count + 3) / 4;
    switch (count % 4) { /* never true: no other remainder, so no implicit default */
        do {
    case 0:
            sum += *from++;
    case 3:
            sum += *from++;
    case 2:
            sum += *from++;
    case 1:
            sum += *from++;
        } while (--rounds > 0);
    }
    return sum;
}

int main(void) {
    unsigned char bytes[8], count, skipped = 0;
    bw_bytes(bytes, sizeof bytes, "bytes");
    bw_uchar(&count, "count");
    if (count == 0 || count > 8)
        return 1;
    for (int i = 0; i < 2; i++) {
        switch (bytes[i]) {
        case 2:
            continue;
        }
        skipped++;
    }
    return add(bytes, count) == 6 || skipped == 0;
}
