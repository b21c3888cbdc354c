/* Bitwise and table-driven CRC-32. */
#include "input.h"

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t by_table(const unsigned char *data, int size) {
    uint32_t c = 0xffffffffu;
    for (int i = 0; i < size; i++)
        c = table[(c ^ data[i]) & 255] ^ (c >> 8);
    return ~c;
}

static uint32_t by_bits(const unsigned char *data, int size) {
    uint32_t c = 0xffffffffu;
    for (int i = 0; i < size; i++) {
        c ^= data[i];
        for (int k = 0; k < 8; k++)
            c = (c >> 1) ^ (0xedb88320u & -(c & 1));
    }
    return ~c;
}

int main(int argc, char **argv) {
    int rounds = prepare(argc, argv, 30000);
    make_table();
    uint32_t sum = 0;
    for (int i = 0; i < rounds; i++) {
        input[SIZE - 1] = (unsigned char)i;
        sum += i % 4 == 0 ? by_bits(input, SIZE) : by_table(input, SIZE);
    }
    printf("%08x\n", sum);
    return 0;
}
