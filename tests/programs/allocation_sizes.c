// Memory of symbolic size, aligned or grown: the size is fixed for a run, and other sizes are tried.
// expect: branches=9/10 infeasible=1
// witness: 0 0
// witness: 9 0
// witness: 12 5
// witness: 3 7
// witness: 200 0
// witness: 5 7
#include <stdlib.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    unsigned char size;
    char mark;
    void *block;
    bw_uchar(&size, "size");
    bw_char(&mark, "mark");
    if (size > 12)
        return 1;
    if (posix_memalign(&block, 64, size + 1u)) /* never true: there is memory */
        abort();
    char *bytes = block;
    bytes[size] = mark;
    bytes = realloc(bytes, size + 40u);
    bytes[20] = bytes[size];
    int result = 0;
    if (size == 9)
        result = 2;
    if (bytes[20] == 7 && size == 3)
        result = 3;
    free(bytes);
    return result;
}
