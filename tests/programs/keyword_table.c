// An array of strings: which keyword is it? strcmp against each entry.
// expect: branches=12/12 infeasible=0
// witness: "while\x00\x00"
// witness: "if\x00\x00\x00\x00\x00"
// witness: "else\x00\x00\x00"
// witness: "return\x00"
// witness: "returnx"
#include <string.h>

#include "bothways.h"

static const char *const keywords[] = {"if", "else", "while", "return"};

static int lookup(const char *word) {
    for (unsigned i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(word, keywords[i]) == 0)
            return (int)i;
    return -1;
}

int main(void) {
    char word[8] = {0};
    bw_bytes(word, 7, "word");
    switch (lookup(word)) {
    case 0:
        return 10;
    case 3:
        return 13;
    case -1:
        return 99;
    }
    return 1;
}
