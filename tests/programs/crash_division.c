// Division by zero: a crash on some inputs, in the middle of the work.
// expect: branches=10/10 infeasible=0
// witness: 6 6
// witness: 10 5
// witness: 4 4
// witness: 0 1
// witness: 9 3
// witness: 9 30
// witness: 8 4
// witness: 7 4
#include "bothways.h"

static int share(int total, int people) {
    return total / (people - 6); /* nobody left when 6 of them leave */
}

int main(void) {
    int total, people;
    bw_int(&total, "total");
    bw_int(&people, "people");
    if (people < 3 || people > 20)
        return 1;
    int each = share(total, people);
    if (each == -3 && total % 3 == 0)
        return 2;
    return each ? 3 : 4;
}
