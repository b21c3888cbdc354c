// A tokenizer has to see two keywords in order.
// args: --stdin 24
#include <stdio.h>
#include <string.h>
#include "bothways.h"

static int word(const unsigned char *s, int *at, char *out) {
    int n = 0;
    while (s[*at] == ' ')
        (*at)++;
    while (s[*at] >= 'a' && s[*at] <= 'z' && n < 7)
        out[n++] = (char)s[(*at)++];
    out[n] = 0;
    return n;
}

int main(void) {
    unsigned char s[25] = {0};
    fread(s, 1, 24, stdin);
    char w[8];
    int at = 0;
    word(s, &at, w);
    if (strcmp(w, "select") != 0)
        return 0;
    word(s, &at, w);
    if (strcmp(w, "from") == 0)
        return 1; // target: reachable
    return 0;
}
