// A callback returns a struct with a flexible array by value: there is no room for elements
// function: second
// expect: branches=4/4 infeasible=0
#include <stddef.h>

struct record {
    size_t size;
    int kind;
    const signed char mark;
    size_t rest[];
};

int second(struct record make(void))
{
    if (!make)
        return 0;
    struct record made = make();
    return made.mark > 3 ? made.kind : -1;
}
