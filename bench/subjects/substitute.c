/* Find and replace: a pattern, a substitution and lines of text on standard input, compiled into small programs first: the shape
 * of the Siemens suite's `replace`. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24, LINE = 32 };
enum kind { LITERAL, ANY, START, FINISH, CLASS, NOT_CLASS, STOP };

struct part { enum kind kind; int many; char set[12]; int size; };

static struct part pattern[MOST];
static int parts;
static struct { int whole; char byte; } insert[MOST];
static int inserts, replaced, lines;

static int escaped(const char **from) {
    if (**from != '@' || (*from)[1] == '\0')
        return (unsigned char)**from;
    ++*from;
    if (**from == 'n')
        return '\n';
    return **from == 't' ? '\t' : (unsigned char)**from;
}

static int range(const char **from, struct part *part) {
    int low = part->size ? part->set[part->size - 1] : -1, high;
    ++*from;
    high = escaped(from);
    if (low < 0 || low > high)
        return 0;
    if (!(isdigit(low) && isdigit(high)) && !(islower(low) && islower(high)) && !(isupper(low) && isupper(high)))
        return 0;
    for (int byte = low + 1; byte <= high && part->size < 12; byte++)
        part->set[part->size++] = (char)byte;
    return 1;
}

static int set(const char **from, struct part *part) {
    part->kind = CLASS;
    ++*from;
    if (**from == '^') {
        part->kind = NOT_CLASS;
        ++*from;
    }
    while (**from && **from != ']') {
        if (**from == '-' && part->size && (*from)[1] && (*from)[1] != ']') {
            if (!range(from, part))
                return 0;
        } else if (part->size < 12) {
            part->set[part->size++] = (char)escaped(from);
        }
        ++*from;
    }
    return **from == ']' && part->size > 0;
}

static int compile(const char *from) {
    for (int first = 1; *from; from++, first = 0) {
        struct part *part = &pattern[parts];
        if (parts == MOST - 1)
            return 0;
        if (*from == '*' && !first) {
            if (part[-1].kind == START || part[-1].kind == FINISH || part[-1].many)
                return 0;
            part[-1].many = 1;
            continue;
        }
        if (*from == '%' && first) {
            part->kind = START;
        } else if (*from == '$' && from[1] == '\0') {
            part->kind = FINISH;
        } else if (*from == '?') {
            part->kind = ANY;
        } else if (*from == '[') {
            if (!set(&from, part))
                return 0;
        } else {
            part->kind = LITERAL;
            part->set[0] = (char)escaped(&from);
        }
        parts++;
    }
    pattern[parts].kind = STOP;
    return parts > 0;
}

static int prepare(const char *from) {
    for (; *from; from++) {
        if (inserts == MOST)
            return 0;
        insert[inserts].whole = *from == '&';
        insert[inserts++].byte = (char)escaped(&from);
    }
    return 1;
}

static int one(const char *line, int at, const struct part *part) {
    int found = 0;
    if (line[at] == '\0')
        return 0;
    for (int i = 0; i < part->size; i++)
        found |= part->set[i] == line[at];
    switch (part->kind) {
    case LITERAL: return part->set[0] == line[at];
    case ANY: return 1;
    case CLASS: return found;
    case NOT_CLASS: return !found;
    default: return 0;
    }
}

static int match(const char *line, int at, const struct part *part) {
    for (; part->kind != STOP; part++) {
        if (part->many) {
            int last = at;
            while (one(line, last, part))
                last++;
            for (; last >= at; last--) {
                int end = match(line, last, part + 1);
                if (end >= 0)
                    return end;
            }
            return -1;
        }
        if (part->kind == START) {
            if (at != 0)
                return -1;
        } else if (part->kind == FINISH) {
            if (line[at] != '\0')
                return -1;
        } else if (one(line, at, part)) {
            at++;
        } else {
            return -1;
        }
    }
    return at;
}

static void change(const char *line) {
    int last = -1;
    for (int at = 0;; at++) {
        int end = match(line, at, pattern);
        if (end >= 0 && end != last) {
            for (int i = 0; i < inserts; i++) {
                if (insert[i].whole)
                    printf("%.*s", end - at, line + at);
                else
                    putchar(insert[i].byte);
            }
            replaced++;
            last = end;
        }
        if (line[at] == '\0')
            break;
        if (end < 0 || end == at)
            putchar(line[at]);
        else
            at = end - 1;
    }
    putchar('\n');
}

static int line_of(char *line) {
    int size = 0, byte;
    while ((byte = getchar()) != EOF && byte != '\n')
        if (size < LINE - 1)
            line[size++] = (char)byte;
    line[size] = '\0';
    return byte != EOF || size > 0;
}

int main(void) {
    char line[LINE];
    if (!line_of(line) || !compile(line))
        return puts("bad pattern"), 1;
    if (!line_of(line) || !prepare(line))
        return puts("bad substitution"), 1;
    while (line_of(line)) {
        lines++;
        change(line);
    }
    if (replaced > 2 && lines > 1)
        puts("much was replaced");
    return 0;
}
