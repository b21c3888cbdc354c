// Wide and multibyte characters: converted, classified, compared.
// expect: branches=16/16 infeasible=0
// witness: "\x00\x00\x00\x00"
// witness: "\xff\x00\x00\x00"
// witness: "\xffz\x00\x00"
// witness: "Key\x00"
// witness: "a1 \x00"
// witness: "zz\x00\x00"
// witness: "z3\x00\x00"
// witness: "a3\x00\x00"
// witness: "ka\x00\x00"
// witness: "z;k;"
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "bothways.h"

int main(void) {
    char text[5] = {0};
    wchar_t wide[5];
    bw_bytes(text, 4, "text");
    if (mbstowcs(wide, text, 5) == (size_t)-1)
        return 1;
    if (wcscmp(wide, L"Key") == 0)
        return 2;
    if (iswlower(wide[0]) && iswdigit(wide[1]))
        return towupper(wide[0]) == 'A' ? 3 : 4;
    wchar_t *found = wcschr(wide, 'k');
    if (found && found[1] == ';')
        return 5;
    mbstate_t state = {0};
    wchar_t first;
    if (mbrtowc(&first, text, 4, &state) == 0)
        return 6;
    return 0;
}
