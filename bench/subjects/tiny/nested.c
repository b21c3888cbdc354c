/* Calls in calls, and an equation behind each (the kind and size of CREST's `cfg_test`): what lies behind a call is not in the
 * caller's own flow graph. */
#include "bothways.h"

static int found;

static void innermost(int a, int b) {
    if (a == 2 * b + 100) {
        found++;
    } else {
        found--;
    }
}

static void inner(int a, int b) {
    found += a;
    if (b == 19) {
        innermost(a, b);
    }
}

static void middle(int a, int b) {
    if (a > 100) {
        inner(a, b);
    } else {
        found += b;
    }
    found++;
}

static void outer(int a, int b) {
    if (a != b) {
        middle(b, a);
    }
}

int main(void) {
    int a, b, c, d;
    bw_int(&a, "a");
    bw_int(&b, "b");
    bw_int(&c, "c");
    bw_int(&d, "d");

    if (c == 7) {
        outer(a, b);
    } else {
        if (d == 11) {
            found = 5;
        }
    }
    return found != 0;
}
