// Large structs by value: copied to the callee's stack, returned through a hidden pointer; the original stays.
// expect: branches=13/14 infeasible=1
// witness: 10 0 0 0
// witness: 1 2 3 4
// witness: 4 3 2 1
// witness: 5 5 5 7
// witness: 5 5 7 5
#include "bothways.h"

struct record {
    long values[4];
    char tag;
    short rank;
};

static long drain(struct record r) {
    long total = 0;
    for (int i = 0; i < 4; i++) {
        total += r.values[i];
        r.values[i] = 0; /* the copy, not the caller's */
    }
    return total;
}

static struct record reversed(struct record r) {
    struct record out = {{r.values[3], r.values[2], r.values[1], r.values[0]}, r.tag, (short)-r.rank};
    return out;
}

int main(void) {
    struct record r = {{0}, 'r', 7};
    for (int i = 0; i < 4; i++)
        bw_long(&r.values[i], "value");
    if (drain(r) == 10) {
        if (r.values[0] == 10)
            return 1;
        struct record back = reversed(r);
        if (back.values[0] == 1 && back.rank == -7) /* never false: rank is not an input */
            return 2;
    }
    struct record copy = r; /* assignment copies everything, padding too */
    copy.values[2] = 9;
    return copy.values[3] > r.values[2] ? 3 : 4;
}
