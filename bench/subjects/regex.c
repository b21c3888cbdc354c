/* A regex compiler with deep nesting, the shape of Figure 5 of the CGS paper (`regex_compile` in grep): what a character
 * means depends on where it stands, and the interesting cases lie under many conditions that all paths share. */
#include <stdio.h>
#include <string.h>

enum { MAX = 64 };
enum op { CHAR, ANY, SET, STAR, PLUS, MAYBE, OPEN, CLOSE, ALT, BEGIN, END, INTERVAL, BACK };

struct node { enum op op; int a, b; };

static struct node code[MAX];
static int used;
static const char *at, *end;

static int emit(enum op op, int a, int b) {
    if (used == MAX)
        return -1;
    code[used] = (struct node){op, a, b};
    return used++;
}

static int number(int *value) {
    int digits = 0;
    *value = 0;
    while (at < end && *at >= '0' && *at <= '9') {
        *value = *value * 10 + (*at++ - '0');
        if (++digits > 3)
            return -1;
    }
    return digits;
}

static int class_of(const char *name, int length) {
    static const char *names[] = {"alpha", "digit", "space", "upper"};
    for (int i = 0; i < 4; i++)
        if ((int)strlen(names[i]) == length && memcmp(names[i], name, (size_t)length) == 0)
            return i;
    return -1;
}

static int set(void) {
    int negated = 0, members = 0;
    if (at < end && *at == '^') {
        negated = 1;
        at++;
    }
    if (at < end && *at == ']') {
        members++;
        at++;
    }
    while (at < end && *at != ']') {
        if (*at == '[' && at + 1 < end && at[1] == ':') {
            const char *name = at += 2;
            while (at < end && *at != ':')
                at++;
            if (at + 1 >= end || at[1] != ']')
                return -3;
            if (class_of(name, (int)(at - name)) < 0)
                return -4;
            at += 2;
            members += 10;
            continue;
        }
        char first = *at++;
        if (at + 1 < end && *at == '-' && at[1] != ']') {
            char last = at[1];
            if (last < first)
                return -5;
            members += last - first + 1;
            at += 2;
        } else {
            members++;
        }
    }
    if (at >= end)
        return -2;
    at++;
    return emit(SET, members, negated);
}

static int compile(void) {
    int depth = 0, groups = 0, last = -1, stack[8];
    while (at < end) {
        char c = *at++;
        switch (c) {
        case '^':
            if (last == -1 || code[last].op == OPEN || code[last].op == ALT)
                last = emit(BEGIN, 0, 0);
            else
                last = emit(CHAR, c, 0);
            break;
        case '$':
            if (at == end || *at == ')' || *at == '|')
                last = emit(END, 0, 0);
            else
                last = emit(CHAR, c, 0);
            break;
        case '.':
            last = emit(ANY, 0, 0);
            break;
        case '*':
        case '+':
        case '?':
            if (last == -1 || code[last].op == OPEN || code[last].op == ALT || code[last].op == BEGIN)
                return c == '*' ? (last = emit(CHAR, c, 0)) : -6;
            if (code[last].op == STAR) {
                if (c == '?')
                    return -7;
            } else {
                last = emit(c == '*' ? STAR : c == '+' ? PLUS : MAYBE, last, 0);
            }
            break;
        case '[':
            last = set();
            if (last < 0)
                return last;
            break;
        case '(':
            if (depth == 8)
                return -8;
            stack[depth++] = used;
            last = emit(OPEN, groups++, 0);
            break;
        case ')':
            if (depth == 0)
                return -9;
            if (code[last].op == ALT)
                return -10;
            last = emit(CLOSE, stack[--depth], 0);
            break;
        case '|':
            if (last == -1)
                return -11;
            last = emit(ALT, depth, 0);
            break;
        case '{':
            if (last != -1 && at < end) {
                int low, high;
                if (number(&low) > 0) {
                    high = low;
                    if (at < end && *at == ',') {
                        at++;
                        if (number(&high) == 0)
                            high = -1;
                    }
                    if (at < end && *at == '}') {
                        at++;
                        if (high >= 0) {
                            if (low > high)
                                return -12;
                            if (high > 255)
                                return -13;
                            if (low == 0 && high == 0)
                                return -14;
                        }
                        last = emit(INTERVAL, low, high);
                        break;
                    }
                    return -15;
                }
            }
            last = emit(CHAR, c, 0);
            break;
        case '\\':
            if (at == end)
                return -16;
            c = *at++;
            if (c >= '1' && c <= '9') {
                if (c - '1' >= groups)
                    return -17;
                if (depth > 0 && code[stack[depth - 1]].a == c - '1')
                    return -18;
                last = emit(BACK, c - '1', 0);
            } else if (c == 'w' || c == 'W') {
                last = emit(SET, 63, c == 'W');
            } else if (c == '<' || c == '>') {
                last = emit(c == '<' ? BEGIN : END, 1, 0);
            } else {
                last = emit(CHAR, c, 0);
            }
            break;
        default:
            last = emit(CHAR, c, 0);
        }
        if (last < 0)
            return -19;
    }
    if (depth > 0)
        return -20;
    return last;
}

int main(void) {
    static char text[64];
    size_t length = fread(text, 1, sizeof text, stdin);
    at = text;
    end = text + length;
    int result = compile();
    if (result < 0)
        return -result;
    int loops = 0;
    for (int i = 0; i < used; i++)
        if (code[i].op == STAR || code[i].op == PLUS || code[i].op == INTERVAL)
            loops++;
    return loops > 2 ? 1 : 0;
}
