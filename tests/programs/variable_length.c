// A variable-length array and alloca: sizes from the input.
// expect: branches=18/18 infeasible=0
// witness: 3 2
// witness: 8 7
// witness: 0 0
// witness: 20 0
// witness: 5 4
// witness: 4 0
// witness: 3 -1
// witness: 3 9
// witness: 5 0
#include <alloca.h>

#include "bothways.h"

static int sum(int n, int cells[n]) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += cells[i];
    return total;
}

int main(void) {
    int n, at;
    bw_int(&n, "n");
    bw_int(&at, "at");
    if (n < 1 || n > 8)
        return 1;
    int cells[n];
    char *marks = alloca((unsigned)n);
    for (int i = 0; i < n; i++) {
        cells[i] = i;
        marks[i] = (char)(n - i);
    }
    if (at < 0 || at >= n)
        return 2;
    if (sum(n, cells) == 10 && marks[at] == 1)
        return 3;
    return sizeof cells == 32 ? 4 : 5;
}
