// An interpreter of bytes: jumps from the input, a stack, instructions read through a position that the input decides.
// expect: branches=22/22 infeasible=0
// witness: "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
// witness: "\x01\x0b\x01\x0d\x02\x04\x00\x00\x00\x00"
// witness: "\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00"
// witness: "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00"
// witness: "\x03\xc8\x00\x00\x00\x00\x00\x00\x00\x00"
// witness: "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
// witness: "\x04\x01\x05\x04\x00\x00\x00\x00\x00\x00"
#include "bothways.h"

#define SIZE 10

static int run(const unsigned char *code) {
    int stack[4], top = 0, at = 0;
    for (int steps = 0; steps < 12 && at < SIZE - 1; steps++) {
        unsigned char word = code[at++];
        switch (word) {
        case 1:
            if (top == 4)
                return -1;
            stack[top++] = code[at++];
            break;
        case 2:
            if (top < 2)
                return -2;
            top--;
            stack[top - 1] *= stack[top];
            break;
        case 3:
            at = code[at];
            break;
        case 4:
            if (top > 0 && stack[top - 1] == 143)
                return 1;
            break;
        default:
            return 0;
        }
    }
    return 2;
}

int main(void) {
    unsigned char code[SIZE];
    bw_bytes(code, SIZE, "code");
    return run(code) == 1;
}
