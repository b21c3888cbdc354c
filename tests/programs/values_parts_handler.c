// A handler writes a byte of a number that the program writes as a whole.
// expect: branches=4/4 infeasible=0
// witness: 1
// witness: 0
#include "bothways.h"
#include <signal.h>

static union word {
    int whole;
    unsigned char parts[4];
} word;

static void handler(int number) {
    (void)number;
    word.parts[0] = 0;
}

int main(void) {
    int which;
    signal(SIGUSR1, handler);
    bw_int(&which, "which");
    word.whole = 0x01010101;
    if (which == 1)
        raise(SIGUSR1);
    if (word.whole == 0x01010100)
        return 1;
    return 0;
}
