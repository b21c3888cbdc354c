// `void *` with a length: a header in front of data, and a checksum over it
// function: verify
// expect: branches=16/16 infeasible=0
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct header {
    uint16_t magic;
    uint8_t version, length;
};

int verify(const void *data, size_t size)
{
    struct header header;
    const unsigned char *bytes = data;
    unsigned sum = 0;
    if (!data || size < sizeof header)
        return -1;
    memcpy(&header, data, sizeof header);
    if (header.magic != 0x5742)
        return -2;
    if (header.version > 2)
        return -3;
    if (header.length + sizeof header > size || header.length > 12)
        return -4;
    for (size_t i = 0; i < header.length; i++)
        sum += bytes[sizeof header + i];
    return sum == 0x155 ? 1 : 0;
}
