// ask: 8
// arguments: --stdin 48
#include <stdio.h>
int main(void) {
    unsigned char code[48];
    unsigned n = (unsigned)fread(code, 1, sizeof code, stdin), pc = 0, steps = 0;
    unsigned stack[16] = {0}, top = 0;
    while (pc < n && steps++ < 20000) {
        switch (code[pc++]) {
        case '+': stack[top] += 1; break;
        case '*': stack[top] *= 3; break;
        case '>': top = (top + 1) % 16; break;
        case '<': top = (top + 15) % 16; break;
        case 'j': if (stack[top] < 5000) pc = code[pc % n] % n; break;
        case 's': { unsigned t = stack[top]; stack[top] = stack[(top + 1) % 16]; stack[(top + 1) % 16] = t; break; }
        case 'x': return stack[top] == 729 ? 1 : 2;
        default: return 3;
        }
    }
    return steps > 10000 ? 4 : 0;
}
