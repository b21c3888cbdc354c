// In another thread.
// drops: no
#include <pthread.h>

#include "bothways.h"

static int shared;

static void *work(void *unused) {
    (void)unused;
    if (shared == 2)
        shared = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    int first, second;
    bw_int(&first, "first");
    bw_int(&second, "second");
    if (first == 8)
        shared++;
    if (second == 9)
        shared++;
    if (pthread_create(&thread, 0, work, 0) == 0)
        pthread_join(thread, 0);
    return 0;
}
