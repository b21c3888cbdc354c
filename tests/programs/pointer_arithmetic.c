// Pointer arithmetic: walking, differences, negative subscripts, comparisons of pointers into one array.
// expect: branches=16/16 infeasible=0
// witness: "abcdefg" 3
// witness: "ab;defg" 0
// witness: ";bcdefg" 6
// witness: "abc;efg" 6
// witness: "aacdefg" 1
// witness: "abcdefa" 5
// witness: "abcdefg" 0
// witness: ";bcdexg" 6
// witness: "abc;exg" 6
#include "bothways.h"

static const char *find(const char *from, const char *end, char wanted) {
    while (from != end && *from != wanted)
        from++;
    return from;
}

int main(void) {
    char text[8] = {0};
    unsigned at;
    bw_bytes(text, 7, "text");
    bw_uint(&at, "at");
    const char *end = text + 7, *semicolon = find(text, end, ';');
    const char *middle = text + at % 7;
    if (semicolon - text == 2)
        return 1;
    if (semicolon < middle) {
        if (middle[-1] == 'f' && semicolon == text)
            return 2;
        return 3;
    }
    if (middle > text && middle[-1] == *middle)
        return 4;
    return *(end - 1) == text[0];
}
