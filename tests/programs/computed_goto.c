// Labels as values (GNU): an interpreter that jumps through a table of code addresses.
// expect: branches=8/8 infeasible=0
// witness: "\x00\x00\x01\x03"
// witness: "\x01\x01\x01\x03"
// witness: "\x03\x00\x00\x00"
// witness: "\x02\x03\x00\x00"
// witness: "\x00\x00\x00\x00"
// witness: "\x07\x00\x00\x00"
// witness: "\x00\x02\x03\x00"
#include "bothways.h"

int main(void) {
    static const void *const code[] = {&&increment, &&twice, &&test, &&stop};
    unsigned char program[5];
    int value = 0;
    unsigned char *at = program;
    bw_bytes(program, 4, "program");
    program[4] = 3;
    for (int i = 0; i < 4; i++)
        if (program[i] > 3)
            return 1;
    goto *code[*at++];
increment:
    value++;
    goto *code[*at++];
twice:
    value *= 2;
    goto *code[*at++];
test:
    if (value == 0)
        return 2;
    goto *code[*at++];
stop:
    if (value == 4)
        return 3;
    return 4;
}
