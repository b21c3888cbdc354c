// Strings put together by snprintf, asprintf and stpcpy: labels follow the characters, the length is decided.
// expect: branches=18/20 infeasible=0 open=2
// witness: "\x00\x00\x00" 0
// witness: "abc" 0
// witness: "abd" 0
// witness: "b\x00\x00" 0
// witness: "key" 122
// witness: "k\x00\x00" 0
// witness: "x=\x00" 0
// witness: "a\x00\x00" 33
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    char name[4] = {0}, line[16], short_line[3], *copy;
    char mark;
    bw_bytes(name, 3, "name");
    bw_char(&mark, "mark");
    int length = snprintf(line, sizeof line, "[%s]", name);
    if (length == 5 && !strcmp(line, "[abc]"))
        return 1;
    snprintf(line, sizeof line, "%.2s%c", name, mark);
    if (!strcmp(line, "kez"))
        return 2;
    if (snprintf(short_line, sizeof short_line, "%s!", name) == 2 && short_line[0] == 'k')
        return 3;
    if (asprintf(&copy, "%-4s|", name) < 4) /* never true, but open: what printf returns comes from outside */
        return 4;
    int result = copy[1] == '=' ? 5 : 0;
    if (copy[4] != '|') /* never true, but open: as above */
        result = 6;
    free(copy);
    if (printf("%s%c", name, '\n') == 2 && mark == '!')
        return 7;
    return result;
}
