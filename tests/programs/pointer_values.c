// Pointers as numbers: alignment, tags in the low bits, and offsets of members (container_of).
// expect: branches=8/8 infeasible=0
// witness: 1 0
// witness: 2 5
// witness: 0 6
// witness: 3 9
// witness: 1 8
// witness: 1 6
#include <stddef.h>
#include <stdint.h>

#include "bothways.h"

struct outer {
    long head;
    int inner;
    int weight;
};

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

static struct outer object = {1, 2, 3};

static uintptr_t tagged(void *pointer, unsigned tag) {
    return (uintptr_t)pointer | (tag & 3);
}

int main(void) {
    unsigned tag;
    int weight;
    bw_uint(&tag, "tag");
    bw_int(&weight, "weight");
    int *inner = &object.inner;
    container_of(inner, struct outer, inner)->weight += weight;
    uintptr_t word = tagged(&object, tag);
    if ((word & 3) == 2)
        return 1;
    struct outer *back = (struct outer *)(word & ~(uintptr_t)3);
    if (back->weight == 9 && word != (uintptr_t)back)
        return 3;
    return (word & 3) == 3 ? 4 : 5;
}
