// What another thread decides has no expression: its constants are found by chance.
// expect: branches=8/8 infeasible=0
// witness: 0
// witness: 77
// witness: 4099
#include "bothways.h"
#include <pthread.h>

static int seen;

static void *look(void *value) {
    int number = *(int *)value;
    if (number == 77)
        seen = 1;
    else if (number == 4099)
        seen = 2;
    return 0;
}

int main(void) {
    int number;
    pthread_t thread;
    bw_int(&number, "number");
    pthread_create(&thread, 0, look, &number);
    pthread_join(thread, 0);
    if (seen == 1)
        return 1;
    if (seen == 2)
        return 2;
    return 0;
}
