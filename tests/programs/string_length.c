// strlen, strcpy, strcat and strrchr on a string of symbolic length.
// expect: branches=12/12 infeasible=0
// witness: "\x00aaaaaa"
// witness: "abc\x00aaa"
// witness: "a.b\x00aaa"
// witness: "a.b.c\x00a"
// witness: "abcdef\x00"
// witness: "aaaaaaa"
// witness: "a.bcd\x00a"
#include <string.h>

#include "bothways.h"

int main(void) {
    char name[8] = {0}, path[16];
    bw_bytes(name, 7, "name");
    size_t length = strlen(name);
    if (length == 0)
        return 1;
    if (length > 6)
        return 2;
    strcpy(path, "/x/");
    strcat(path, name);
    char *dot = strrchr(path, '.');
    if (dot && strlen(dot) == 2) {
        if (strchr(path, '.') != dot)
            return 3;
        return 4;
    }
    return strlen(path) == 9 ? 5 : 6;
}
