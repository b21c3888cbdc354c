// A keyword is found by its length and first letter, then compared: only one opens the door.
// args: --stdin 12
#include <stdio.h>
#include <string.h>
#include "bothways.h"

static const char *const words[] = {"if", "do", "for", "int", "else", "char", "while", "break", "return", "switch", "default", "continue"};

int main(void) {
    char text[13];
    size_t n = fread(text, 1, 12, stdin);
    text[n] = '\0';
    size_t length = strcspn(text, " ;\n");
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) != length || words[i][0] != text[0])
            continue;
        if (memcmp(words[i], text, length) == 0 && i == 11)
            return text[length] == ';'; // target: reachable
    }
    return 0;
}
