// ask: 6
// arguments: --stdin 4096
#include <stdio.h>
int main(void) {
    int c, depth = 0, quotes = 0, words = 0, in = 0;
    while ((c = getchar()) != EOF) {
        if (c == '(') depth++;
        else if (c == ')') { if (--depth < 0) return 1; }
        else if (c == '"') quotes ^= 1;
        if (c == ' ') in = 0; else if (!in) { in = 1; words++; }
    }
    if (depth > 40) return 2;
    return quotes ? 3 : words > 500 ? 4 : 0;
}
