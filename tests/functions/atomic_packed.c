// An atomic member that is not aligned: the harness reads it through libatomic, the unit does not
// function: target
// expect: branches=6/6 infeasible=0
struct __attribute__((packed)) record {
    char tag;
    _Atomic short count;
    int rest;
};

int target(struct record given, struct record *more)
{
    int sum = 0;
    if (given.tag == 7)
        sum = 1;
    if (more && more->rest == 99)
        sum += 2;
    return sum;
}
