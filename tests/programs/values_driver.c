// A driver behind an endless loop of requests: a lock and two flags that only its own handlers set. Never: opened a third time, a lock taken twice or given back twice, a suspended device that is written to.
// expect: branches=26/32 infeasible=6
// witness: 5 3 2 1 1 2 5 11 3 5 2 4 5 0
#include "bothways.h"

static int is_locked, is_open, is_suspended, error;

static void lock(void) {
    if (is_locked) /* never true */
        error = 1;
    is_locked = 1;
}

static void unlock(void) {
    if (!is_locked) /* never true */
        error = 2;
    is_locked = 0;
}

static int start(void) {
    if (is_open)
        return -1;
    lock();
    is_open = 1;
    unlock();
    return 0;
}

static int put(int value) {
    if (!is_open || is_suspended)
        return -2;
    lock();
    if (is_suspended) /* never true */
        error = 3;
    unlock();
    return value > 10;
}

int main(void) {
    int request;
    bw_int(&request, "request");
    while (request != 0) {
        switch (request) {
        case 1:
            start();
            break;
        case 2:
            if (put(request) > 0) /* never true: 2 is not above 10 */
                error = 4;
            break;
        case 3:
            if (is_open)
                is_suspended = 1;
            break;
        case 4:
            is_suspended = 0;
            break;
        default:
            if (put(request) == -3) /* never true */
                error = 5;
        }
        if (error) /* never true */
            return 1;
        bw_int(&request, "request");
    }
    return 0;
}
