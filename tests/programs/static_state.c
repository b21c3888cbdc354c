// Static and global variables: what an earlier call left behind decides what a later one does.
// expect: branches=10/10 infeasible=0
// witness: 1 1 1
// witness: 2 1 2
// witness: 1 2 3
// witness: 3 3 3
// witness: 83 1 1
// witness: -1 500 1
// witness: 500 1 1
#include "bothways.h"

static int balance = 100;
int limit = 3;

static int next_id(void) {
    static int id = 40;
    return ++id;
}

static int withdraw(int amount) {
    static int refused;
    if (amount < 0 || amount > balance) {
        refused++;
        return refused >= 2;
    }
    balance -= amount;
    return next_id() == 43;
}

int main(void) {
    for (int i = 0; i < limit; i++) {
        int amount;
        bw_int(&amount, "amount");
        if (withdraw(amount))
            return i;
        if (balance == 17)
            limit = 1;
    }
    return 9;
}
