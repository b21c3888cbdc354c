/* A lexer that first cuts the text into words and then names each: the shape of the Siemens suite's `print_tokens2`. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 20 };
enum kind { ERROR, KEYWORD, SPECIAL, IDENTIFIER, NUMERAL, STRING, CHARACTER, COMMENT, EOT };

static int held = -2, counts[EOT + 1];

static int get(void) {
    int byte = held == -2 ? getchar() : held;
    held = -2;
    return byte;
}

static int is_special(int byte) { return byte == '(' || byte == ')' || byte == '[' || byte == ']' || byte == '\'' || byte == '`' || byte == ','; }

static int is_end(int quoted, int byte) {
    if (byte == EOF || byte == '\n')
        return 1;
    if (quoted)
        return quoted == ';' ? 0 : byte == '"';
    return byte == ' ' || byte == '\t' || is_special(byte) || byte == '"' || byte == ';';
}

/* The next word; 0 at the end of the text. */
static int word(char *text) {
    int byte = get(), size = 0, quoted = 0;
    while (byte == ' ' || byte == '\t' || byte == '\n')
        byte = get();
    if (byte == EOF)
        return 0;
    text[size++] = (char)byte;
    if (is_special(byte)) {
        text[size] = '\0';
        return 1;
    }
    if (byte == '"' || byte == ';')
        quoted = byte;
    for (byte = get(); !is_end(quoted, byte) && size < WORD - 2; byte = get())
        text[size++] = (char)byte;
    if (quoted == '"' && byte == '"')
        text[size++] = '"';
    else if (byte != EOF)
        held = byte;
    text[size] = '\0';
    return size;
}

static int is_keyword(const char *text) {
    static const char *const keywords[] = {"and", "or", "if", "xor", "lambda", "=>"};
    for (int i = 0; i < 6; i++)
        if (strcmp(keywords[i], text) == 0)
            return 1;
    return 0;
}

static int is_identifier(const char *text) {
    if (!isalpha((unsigned char)*text))
        return 0;
    while (*++text)
        if (!isalnum((unsigned char)*text) && *text != '-')
            return 0;
    return 1;
}

static int is_numeral(const char *text) {
    int points = 0;
    if (*text == '-' && text[1])
        text++;
    for (; *text; text++) {
        if (*text == '.')
            points++;
        else if (!isdigit((unsigned char)*text))
            return 0;
    }
    return points < 2;
}

static enum kind kind_of(const char *text, int size) {
    if (is_special(text[0]) && size == 1)
        return SPECIAL;
    if (text[0] == ';')
        return COMMENT;
    if (text[0] == '"')
        return size > 1 && text[size - 1] == '"' ? STRING : ERROR;
    if (text[0] == '#')
        return size == 2 && isalpha((unsigned char)text[1]) ? CHARACTER : ERROR;
    if (is_keyword(text))
        return KEYWORD;
    if (is_identifier(text))
        return IDENTIFIER;
    return is_numeral(text) ? NUMERAL : ERROR;
}

static void show(enum kind kind, const char *text) {
    static const char *const names[] = {"error", "keyword", "special", "identifier", "numeric", "string", "character", "comment"};
    if (kind == SPECIAL) {
        switch (text[0]) {
        case '(': puts("lparen."); return;
        case ')': puts("rparen."); return;
        case '[': puts("lsquare."); return;
        case ']': puts("rsquare."); return;
        case '\'': puts("quote."); return;
        case '`': puts("bquote."); return;
        default: puts("comma."); return;
        }
    }
    printf("%s,\"%s\".\n", names[kind], text);
}

int main(void) {
    char text[WORD];
    int size;
    while ((size = word(text)) > 0) {
        enum kind kind = kind_of(text, size);
        show(kind, text);
        counts[kind]++;
    }
    if (counts[KEYWORD] && counts[STRING] && counts[CHARACTER])
        puts("a rich text");
    if (counts[ERROR] > 2)
        puts("many errors");
    puts("eof.");
    return 0;
}
