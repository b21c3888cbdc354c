// Searches beyond strchr: without case, in blocks, by sets, by versions, for the parts of a path.
// expect: branches=26/26 infeasible=0
// witness: "GeT\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "123456" "\x00\x00\x00\x00"
// witness: "12a\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "a,b\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "v10\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "v1\x00\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "v010\x00\x00" "\x00\x00\x00\x00"
// witness: "/x/y\x00\x00" "\x00\x00\x00\x00"
// witness: "a/b\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "a;b\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "x/y\x00\x00\x00" "\x00\x00\x00\x00"
// witness: "u\x00\x00\x00\x00\x00" "xb;c"
// witness: "u\x00\x00\x00\x00\x00" "\x00\x89P\x00"
// witness: "u\x00\x00\x00\x00\x00" "ab;c"
#define _GNU_SOURCE
#include <string.h>

#include "bothways.h"

int main(void) {
    char text[7] = {0}, block[4], copy[4] = {0};
    bw_bytes(text, 6, "text");
    bw_bytes(block, 4, "block");
    if (strcasestr(text, "get"))
        return 1;
    if (strspn(text, "0123456789") == 6)
        return 2;
    if (strcspn(text, ",;") == 1 && text[1] == ',')
        return 3;
    if (text[0] == 'v' && strverscmp(text, "v9") > 0)
        return 4;
    if (text[0] == 'v' && strcoll(text, "v010") == 0)
        return 5;
    if (!strcmp(basename(text), "y") && text[0] == '/')
        return 6;
    if (memmem(block, 4, "\x89P", 2))
        return 7;
    if (memccpy(copy, block, ';', 4) == copy + 3 && copy[0] == 'a')
        return 8;
    return 0;
}
