/* A hand-written scanner: identifiers, numbers, strings, comments, operators. */
#include "input.h"

enum token { END, NAME, NUMBER, STRING, COMMENT, OPERATOR, SPACE };

static const char *scan(const char *p, const char *end, enum token *kind) {
    unsigned char c = (unsigned char)*p;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') {
        while (p < end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_'))
            p++;
        *kind = NAME;
    } else if (c >= '0' && c <= '9') {
        while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
            p++;
        *kind = NUMBER;
    } else if (c == '"') {
        p++;
        while (p < end && *p != '"')
            p += *p == '\\' && p + 1 < end ? 2 : 1;
        p += p < end;
        *kind = STRING;
    } else if (c == '#') {
        while (p < end && *p != '\n')
            p++;
        *kind = COMMENT;
    } else if (c == ' ' || c == '\n' || c == '\t') {
        p++;
        *kind = SPACE;
    } else {
        switch (c) {
        case '<': case '>': case '=': case '!':
            p += p + 1 < end && p[1] == '=' ? 2 : 1;
            break;
        case '&': case '|':
            p += p + 1 < end && p[1] == (char)c ? 2 : 1;
            break;
        default:
            p++;
        }
        *kind = OPERATOR;
    }
    return p;
}

int main(int argc, char **argv) {
    static const char alphabet[] = "abcxyz_ABC0123456789 \n\t\"#<>=!&|+-*/;(){}  etaoin ";
    int rounds = prepare(argc, argv, 60000);
    for (int i = 0; i < SIZE; i++)
        input[i] = (unsigned char)alphabet[input[i] % (sizeof alphabet - 1)];
    unsigned long counts[7] = {0};
    for (int i = 0; i < rounds; i++) {
        const char *p = (const char *)input, *end = p + SIZE;
        p += i % 7;
        while (p < end) {
            enum token kind = END;
            p = scan(p, end, &kind);
            counts[kind]++;
        }
    }
    for (int i = 0; i < 7; i++)
        printf("%lu ", counts[i]);
    putchar('\n');
    return 0;
}
