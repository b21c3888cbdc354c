// The inputs of KLEE: an object made symbolic as bytes, klee_assume, klee_range.
// expect: branches=11/12 infeasible=1
// witness: "\x04\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00" 5
// witness: "\x01\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00" 0
// witness: "\x02\x00\x00\x00\xff\xff\xff\xff\x01\x00\x00\x00" 0
// witness: "\x02\x00\x00\x00\x0a\x00\x00\x00\x04\x00\x00\x00" 3
// witness: "\x04\x00\x00\x00\x0b\x00\x00\x00\x04\x00\x00\x00" 5
#include <klee/klee.h>

struct request {
    unsigned kind;
    int amount;
    unsigned flags;
};

int main(void) {
    struct request request;
    klee_make_symbolic(&request, sizeof request, "request");
    klee_assume(request.kind < 5);
    int tries = klee_range(0, 6, "tries");
    if (request.kind == 4 && request.amount == tries * 2)
        return 1;
    if (request.amount < 0)
        return 2;
    if (request.flags & 4 && tries == 3)
        return 3;
    if (request.kind + (unsigned)tries > 9) /* never true: 4 + 5 */
        return 4;
    return 0;
}
