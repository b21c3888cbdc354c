/* A token matcher: keywords, numbers, strings, comments and a small grammar over them; `print_tokens` and `replace` of the
 * Siemens suite are of this kind. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum token { END, ERROR, NAME, NUMBER, STRING, OPERATOR, SEMICOLON, LEFT, RIGHT, IF, THEN, ELSE, WHILE, DO, BEGIN, FINISH, VAR, RETURN };

static const struct { const char *name; enum token token; } keywords[] = {
    {"if", IF}, {"then", THEN}, {"else", ELSE}, {"while", WHILE}, {"do", DO},
    {"begin", BEGIN}, {"end", FINISH}, {"var", VAR}, {"return", RETURN},
};

static const char *source;
static char word[32];
static int depth, deepest, statements, errors;
static enum token token;

static enum token name(void) {
    int length = 0;
    for (; isalnum((unsigned char)*source) || *source == '_'; source++)
        if (length < 31)
            word[length++] = *source;
    word[length] = '\0';
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].name, word) == 0)
            return keywords[i].token;
    return NAME;
}

static enum token number(void) {
    int value = 0;
    if (source[0] == '0' && source[1] == 'x') {
        source += 2;
        if (!isxdigit((unsigned char)*source))
            return ERROR;
        while (isxdigit((unsigned char)*source))
            source++;
        return NUMBER;
    }
    while (isdigit((unsigned char)*source))
        value = value * 10 + *source++ - '0';
    if (*source == '.') {
        source++;
        if (!isdigit((unsigned char)*source))
            return ERROR;
        while (isdigit((unsigned char)*source))
            source++;
    }
    return value > 100000 ? ERROR : NUMBER;
}

static enum token string(void) {
    for (source++; *source && *source != '"'; source++)
        if (*source == '\\') {
            source++;
            if (*source != 'n' && *source != 't' && *source != '\\')
                return ERROR;
        }
    if (!*source)
        return ERROR;
    source++;
    return STRING;
}

static enum token next(void) {
    for (;;) {
        while (*source == ' ' || *source == '\n')
            source++;
        if (*source == '{') {
            while (*source && *source != '}')
                source++;
            if (!*source)
                return ERROR;
            source++;
        } else if (source[0] == '/' && source[1] == '/') {
            while (*source && *source != '\n')
                source++;
        } else {
            break;
        }
    }
    if (!*source)
        return END;
    if (isalpha((unsigned char)*source))
        return name();
    if (isdigit((unsigned char)*source))
        return number();
    switch (*source) {
    case '"': return string();
    case '+': case '-': case '*': case '=': source++; return OPERATOR;
    case ':': source++; return *source == '=' ? source++, OPERATOR : ERROR;
    case '<': source++; if (*source == '=' || *source == '>') source++; return OPERATOR;
    case ';': source++; return SEMICOLON;
    case '(': source++; return LEFT;
    case ')': source++; return RIGHT;
    default: source++; return ERROR;
    }
}

static void advance(void) {
    token = next();
    if (token == ERROR)
        errors++;
}

static void expect(enum token wanted) {
    if (token == wanted)
        advance();
    else
        errors++;
}

static void expression(void) {
    if (token == NAME || token == NUMBER || token == STRING) {
        advance();
    } else if (token == LEFT) {
        advance();
        expression();
        expect(RIGHT);
    } else {
        errors++;
        advance();
        return;
    }
    if (token == OPERATOR) {
        advance();
        if (errors < 3)
            expression();
    }
}

static void statement(void) {
    statements++;
    switch (token) {
    case BEGIN:
        advance();
        if (++depth > deepest)
            deepest = depth;
        while (token != FINISH && token != END && errors < 3) {
            statement();
            if (token == SEMICOLON)
                advance();
        }
        expect(FINISH);
        depth--;
        break;
    case IF:
        advance();
        expression();
        expect(THEN);
        if (errors < 3)
            statement();
        if (token == ELSE) {
            advance();
            statement();
        }
        break;
    case WHILE:
        advance();
        expression();
        expect(DO);
        if (errors < 3)
            statement();
        break;
    case VAR: advance(); expect(NAME); break;
    case RETURN:
        advance();
        if (token != SEMICOLON)
            expression();
        break;
    case NAME:
        advance();
        if (token == OPERATOR) {
            advance();
            expression();
        }
        break;
    default: errors++; advance();
    }
}

int main(void) {
    static char text[65];
    text[fread(text, 1, 64, stdin)] = '\0';
    source = text;
    advance();
    while (token != END && errors < 3) {
        statement();
        if (token == SEMICOLON)
            advance();
    }
    if (errors)
        return 1;
    return statements > 4 && deepest > 1 ? 3 : 0;
}
