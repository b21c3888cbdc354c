// A tagged union with a number, a text and a list
// function: weigh
// expect: branches=20/20 infeasible=0
#include <string.h>

enum kind { NUMBER, TEXT, LIST };

struct value {
    enum kind kind;
    union {
        long number;
        const char *text;
        struct value *items;
    } as;
};

int weigh(const struct value *value)
{
    if (!value)
        return 0;
    switch (value->kind) {
    case NUMBER:
        return value->as.number > 1000 ? 2 : 1;
    case TEXT:
        if (!value->as.text)
            return -2;
        return strcmp(value->as.text, "heavy") == 0 ? 9 : 3;
    case LIST:
        if (value->as.items && value->as.items->kind == NUMBER)
            return 5;
        return 4;
    default:
        return -1;
    }
}
