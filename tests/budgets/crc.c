// ask: 6
// arguments: --stdin 200
#include <stdio.h>
int main(void) {
    unsigned crc = ~0u;
    int c, n = 0;
    while ((c = getchar()) != EOF) {
        crc ^= (unsigned)c;
        for (int i = 0; i < 8; i++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        n++;
    }
    if (crc == 0x12345678u) return 1;
    return n == 150 && crc % 977 == 5 ? 2 : 0;
}
