// Aliases: two pointers that may or may not be the same object, decided by the input.
// expect: branches=17/18 infeasible=1
// witness: 0 0 5
// witness: 0 1 5
// witness: 1 0 5
// witness: 2 2 -1
// witness: 1 1 1
// witness: 0 2 0
// witness: 0 1 -30
#include "bothways.h"

static int move(int *from, int *to, int amount) {
    *from -= amount;
    *to += amount;
    if (from == to)
        return *to == 0 ? 1 : 2;
    if (*from + *to != 30) /* never true: what one loses the other wins */
        return 3;
    return *to > *from ? 4 : 5;
}

int main(void) {
    int left = 10, right = 20, other = 0;
    int *places[3] = {&left, &right, &other};
    unsigned char from, to;
    int amount;
    bw_uchar(&from, "from");
    bw_uchar(&to, "to");
    bw_int(&amount, "amount");
    int *source = from == 0 ? places[0] : from == 1 ? places[1] : places[2];
    int *target = to == 0 ? places[0] : to == 1 ? places[1] : places[2];
    if ((source == &other) != (target == &other))
        return 9;
    return move(source, target, amount);
}
