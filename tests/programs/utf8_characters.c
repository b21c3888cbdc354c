// Characters of one to four bytes, there and back: in UTF-8 each byte is decided, and none is pinned.
// expect: branches=18/18 infeasible=0
// witness: "\x80aaa"
// witness: "\xf0\x9f\x98\x80"
// witness: "\xf0\x9f\x98\x81"
// witness: "\xe2\x82\xaca"
// witness: "\xe2\x82\xada"
// witness: "aaaa"
// witness: "\xc3\xa9aa"
// witness: "\xc3\xa9\xc3\xa8"
// witness: "\xc7\xa9\xc3\xa9"
// witness: "\xd5\x81\xd1\x81"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "bothways.h"

int main(void) {
    char text[4], back[16];
    wchar_t one, two;
    setlocale(LC_ALL, "C.UTF-8");
    bw_bytes(text, sizeof text, "text");
    mbstate_t state;
    memset(&state, 0, sizeof state);
    size_t used = mbrtowc(&one, text, sizeof text, &state);
    if (used > sizeof text) return 1;
    if (used == 4) return one == 0x1f600 ? 2 : 3;
    if (used == 3 && one == 0x20ac) return 4;
    if (used != 2) return 5;
    if (mbtowc(&two, text + 2, 2) != 2) return 6;
    return one == two + 0x100 && wctomb(back, one << 1) == 3 ? 7 : 8;
}
