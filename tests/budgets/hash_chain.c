// ask: 6
// arguments: --stdin 64
#include <stdio.h>
int main(void) {
    unsigned char text[64];
    unsigned h = 2166136261u;
    unsigned long n = fread(text, 1, 64, stdin);
    for (int round = 0; round < 500; round++)
        for (unsigned long i = 0; i < n; i++) h = (h ^ text[i]) * 16777619u;
    return h == 1 ? 1 : h % 64 == 3 ? 2 : 0;
}
