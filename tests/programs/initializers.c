// Designated initialisers, compound literals, a flexible array member, and string constants as arrays.
// expect: branches=12/12 infeasible=0
// witness: 0 122
// witness: 1 103
// witness: 2 120
// witness: 3 5
// witness: 2 98
// witness: 0 5
// witness: 2 5
#include <stddef.h>

#include "bothways.h"

struct shape {
    const char *name;
    int sides[3];
    char tag[4];
};

static const struct shape shapes[] = {
    [2] = {.name = "abc", .sides = {[1] = 7}},
    [0] = {.tag = "ta", .name = "xyz"},
    [1] = {"efg", {1, 2, 3}, {'q'}},
};

struct message {
    int length;
    char text[];
};

static struct message greeting = {3, {'h', 'i', '!'}};

static int longest(const int *values) {
    return values[0] > values[1] ? values[0] : values[1];
}

int main(void) {
    unsigned which;
    int value;
    bw_uint(&which, "which");
    bw_int(&value, "value");
    if (which > 2)
        return 1;
    const struct shape *shape = &shapes[which];
    if (shape->name[2] == value)
        return shape->sides[1] == 2 ? 2 : 3;
    greeting.text[which] = (char)value;
    if (greeting.text[2] == 'b')
        return 4;
    return longest((int[]){value, shape->sides[1]}) == 7 ? 5 : shape->tag[1] == 'a';
}
