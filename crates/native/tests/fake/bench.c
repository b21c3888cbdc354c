// Writes argv[1] events and argv[2] nodes in each run; nothing else. One event in ten has a condition, and all nodes are needed
// by some condition.
#include "fake.h"

int main(int argc, char **argv) {
    uint32_t events = atoi(argv[1]), wanted = atoi(argv[2]);
    attach();
    if (!seg) return 0;
    module(0x77, 2, 1, 1);
    event(CALL, 0);
    serve();
    uint32_t x = input_value(0);
    uint32_t sum = node(VAR, 32, 0, 0, x), var = sum, value = x;
    uint32_t each = events >= 10 ? wanted * 10 / events : wanted;
    for (uint32_t i = 0; i < events; i++) {
        if (i % 10 == 9) {
            for (uint32_t j = 3; j < each; j++) value += x, sum = node(ADD, 32, sum, var, value);
            uint32_t c = node(CONST, 32, 0, 0, 1 + i);
            event(EDGE_SYM, value < 1 + i), word(node(ULT, 1, sum, c, value < 1 + i));
        } else {
            event(EDGE, 0);
        }
    }
    return 0;
}
