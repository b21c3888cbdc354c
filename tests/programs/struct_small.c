// Small structs by value: passed and returned in registers, compared member by member.
// expect: branches=12/12 infeasible=0
// witness: 3 4 2.0f 1.5f
// witness: 4 3 2.0f 1.5f
// witness: 5 5 -1.0f 1.0f
// witness: 5 5 1.0f 1.0f
// witness: 9 4 1.0f 1.0f
// witness: 4 3 1.0f 1.0f
#include "bothways.h"

struct point {
    int x, y;
};

struct pair {
    float first;
    float second;
};

static struct point swap(struct point p) {
    struct point swapped = {p.y, p.x};
    return swapped;
}

static struct pair ordered(struct pair p) {
    if (p.first <= p.second)
        return p;
    return (struct pair){p.second, p.first};
}

int main(void) {
    struct point p;
    struct pair f;
    bw_int(&p.x, "x");
    bw_int(&p.y, "y");
    bw_float(&f.first, "first");
    bw_float(&f.second, "second");
    struct point q = swap(p);
    f = ordered(f);
    if (q.x == 4 && q.y == 3)
        return 1;
    if (q.x - q.y == -1)
        return f.second == 2.0f ? 2 : 3;
    return f.first < 0 ? 4 : 5;
}
