#include "bothways.h"
#include <stdlib.h>
static int total;
static int weigh(const int *from, int n) {
    int sum = 0;
    for (int again = 0; again < 100; again++)
        for (int i = 0; i < n; i++)
            sum += from[i] * (i + 1);
    return sum;
}
int main(void) {
    int rounds = 0, table[16] = {3, 1, 4, 1, 5, 9, 2, 6};
    unsigned char *block = malloc(8);
    bw_bytes(block, 8, "block");
    for (int i = 0; i < 8; i++) {
        total += weigh(table, 16);
        if (block[i] > 3 * i)
            rounds++;
        block[i] ^= table[i & 7];
    }
    if (rounds == 8 && block[7] == block[6])
        total++;
    free(block);
    switch (rounds) {
    case 0: return 1;
    case 3: return total > 1000;
    default: return 3;
    }
}
