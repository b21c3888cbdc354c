// Words of a tokenizer: `set`, a name of two, `to`, a number, and the number is right for the name.
// args: --stdin 24
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bothways.h"

static char word[16];

static int next(void) {
    int c = getchar(), n = 0;
    while (c == ' ')
        c = getchar();
    while (c != EOF && c != ' ' && c != '\n' && n < 15) {
        word[n++] = (char)c;
        c = getchar();
    }
    word[n] = '\0';
    return n;
}

int main(void) {
    next();
    if (strcmp(word, "set") != 0)
        return 0;
    next();
    int width = strcmp(word, "width") == 0;
    if (!width && strcmp(word, "depth") != 0)
        return 0;
    next();
    if (strcmp(word, "to") != 0)
        return 0;
    next();
    if (!isdigit((unsigned char)word[0]))
        return 0;
    int value = atoi(word);
    if (!width && value == 640)
        return 1; // target: reachable
    return 0;
}
