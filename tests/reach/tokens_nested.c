// A parser of brackets and keywords is in depth three when it sees a word.
// args: --stdin 20
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
    unsigned char s[21] = {0};
    fread(s, 1, 20, stdin);
    int depth = 0;
    for (int at = 0; s[at] != 0;) {
        if (s[at] == '(') {
            depth++, at++;
        } else if (s[at] == ')') {
            depth--, at++;
        } else if (s[at] >= 'a' && s[at] <= 'z') {
            char w[8];
            word(s, &at, w);
            if (depth == 3 && strcmp(w, "goal") == 0)
                return 1; // target: reachable
        } else {
            return 0;
        }
    }
    return 0;
}
