// Structs of three and four floats by value: they travel as vectors, are taken apart and put together again.
// expect: branches=8/8 infeasible=0
// witness: 1.0f 2.0f 4.0f
// witness: 1.0f 1.0f 1.0f
// witness: 9.0f 1.0f 1.0f
// witness: 1.0f 3.0f 4.0f
// witness: 9.0f 1.0f 4.0f
#include "bothways.h"

struct vector {
    float x, y, z;
};

struct box {
    float low[2], high[2];
};

__attribute__((noinline)) static struct vector turned(struct vector v) {
    return (struct vector){v.z, v.x, v.y};
}

__attribute__((noinline)) static struct box around(struct vector v) {
    return (struct box){{v.x, v.y}, {v.y, v.z}};
}

int main(void) {
    struct vector v;
    bw_float(&v.x, "x");
    bw_float(&v.y, "y");
    bw_float(&v.z, "z");
    struct vector t = turned(v);
    struct box b = around(t);
    if (b.low[0] == 4.0f && b.low[1] == 1.0f)
        return b.high[1] == 2.0f ? 1 : 2;
    if (b.high[0] > 5.0f)
        return 3;
    return 0;
}
