/* Schoolbook multiplication and remainder of 2,048-bit numbers. */
#include "input.h"

#define LIMBS 64

static void multiply(const uint32_t *a, const uint32_t *b, uint32_t *product) {
    memset(product, 0, 2 * LIMBS * sizeof *product);
    for (int i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            uint64_t t = (uint64_t)a[i] * b[j] + product[i + j] + carry;
            product[i + j] = (uint32_t)t;
            carry = t >> 32;
        }
        product[i + LIMBS] = (uint32_t)carry;
    }
}

static uint32_t remainder_by(const uint32_t *a, int limbs, uint32_t divisor) {
    uint64_t r = 0;
    for (int i = limbs; i-- > 0;)
        r = ((r << 32) | a[i]) % divisor;
    return (uint32_t)r;
}

int main(int argc, char **argv) {
    int rounds = prepare(argc, argv, 150000);
    uint32_t a[LIMBS], b[LIMBS], product[2 * LIMBS], sum = 0;
    memcpy(a, input, sizeof a);
    memcpy(b, input + sizeof a, sizeof b);
    for (int i = 0; i < rounds; i++) {
        a[i % LIMBS] += (uint32_t)i;
        multiply(a, b, product);
        sum = sum * 33 + product[i % (2 * LIMBS)] + remainder_by(product, 2 * LIMBS, 1000000007u + (uint32_t)i);
    }
    printf("%u\n", sum);
    return 0;
}
