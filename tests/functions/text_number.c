// A decimal number in a string, with sign, overflow and rubbish behind it
// function: parse
// expect: branches=16/16 infeasible=0
#include <ctype.h>
#include <limits.h>

enum status { OK, EMPTY, OVERFLOW, RUBBISH };

enum status parse(const char *text, int *result)
{
    long value = 0;
    int negative = 0;
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '-' || *text == '+')
        negative = *text++ == '-';
    if (!*text)
        return EMPTY;
    for (; isdigit((unsigned char)*text); text++) {
        value = value * 10 + (*text - '0');
        if (value > INT_MAX)
            return OVERFLOW;
    }
    if (*text)
        return RUBBISH;
    *result = negative ? (int)-value : (int)value;
    return OK;
}
