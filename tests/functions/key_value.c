// A line `key = value` that is taken apart in place
// function: split
// expect: branches=20/20 infeasible=0
#include <string.h>

static char *trim(char *text)
{
    char *end;
    while (*text == ' ' || *text == '\t')
        text++;
    end = text + strlen(text);
    while (end > text && end[-1] == ' ')
        *--end = 0;
    return text;
}

int split(char *line, char **key, char **value)
{
    char *equals = strchr(line, '=');
    if (line[0] == '#' || line[0] == ';')
        return 0;
    if (!equals)
        return -1;
    *equals = 0;
    *key = trim(line);
    *value = trim(equals + 1);
    if (!**key)
        return -2;
    if (strcmp(*key, "on") == 0 && **value == '1')
        return 2;
    return 1;
}
