// strncmp, strstr, memchr, memcmp, strcasecmp: finding one thing in another.
// expect: branches=14/14 infeasible=0
// witness: "GET /a?b"
// witness: "GET /ab/"
// witness: "get /ab/"
// witness: "PUT x../"
// witness: "\x7fELF\x02abc"
// witness: "\x7fELF\x01abc"
// witness: "zzzzzzzz"
// witness: "GET /a?c"
#include <string.h>
#include <strings.h>

#include "bothways.h"

int main(void) {
    char request[9] = {0};
    bw_bytes(request, 8, "request");
    if (memcmp(request, "\177ELF", 4) == 0)
        return request[4] == 2 ? 1 : 2;
    if (strncmp(request, "GET ", 4) == 0) {
        char *query = memchr(request + 4, '?', 4);
        if (query && query[1] == 'b')
            return 3;
        return 4;
    }
    if (strstr(request, ".."))
        return 5;
    return strncasecmp(request, "Get", 3) == 0 ? 6 : 7;
}
