// Standard input in blocks: read, a record with its length in front, and short reads.
// args: --stdin 8
// expect: branches=14/14 infeasible=0
// witness: stdin:"\x03abc"
// witness: stdin:""
// witness: stdin:"\x09abc"
// witness: stdin:"\x05ab"
// witness: stdin:"\x03zbc"
// witness: stdin:"\x03aXc"
// witness: stdin:"\x00"
#include <unistd.h>

int main(void) {
    unsigned char length, body[8];
    if (read(0, &length, 1) != 1)
        return 1;
    if (length == 0 || length > sizeof body)
        return 2;
    ssize_t got = read(0, body, sizeof body);
    if (got < length)
        return 3;
    unsigned char sum = 0;
    for (int i = 0; i < length; i++)
        sum += body[i];
    if (body[0] == 'a' && sum == (unsigned char)('a' + 'b' + 'c'))
        return 4;
    return 0;
}
