// Packed structures and unaligned accesses: fields of a message at odd addresses, in network byte order.
// expect: branches=12/12 infeasible=0
// witness: "\x01\x00\x00\x00\x2a\x00\x05xx"
// witness: "\x01\x00\x00\x00\x2a\x05\x00xx"
// witness: "\x02\x00\x00\x00\x2a\x05\x00xx"
// witness: "\x01\xff\x00\x00\x00\x00\x09ab"
// witness: "\x01\x00\x00\x00\x00\x00\x09ab"
// witness: "\x01\x00\x00\x00\x00\x00\x02ba"
#include <stdint.h>
#include <string.h>

#include "bothways.h"

struct __attribute__((packed)) message {
    uint8_t version;
    uint32_t id; /* at offset 1, big-endian */
    uint16_t length;
    char body[2];
};

static uint32_t host32(uint32_t network) {
    return network >> 24 | (network >> 8 & 0xff00) | (network << 8 & 0xff0000) | network << 24;
}

int main(void) {
    struct message m;
    bw_bytes(&m, sizeof m, "message");
    if (m.version != 1)
        return 1;
    uint16_t length = (uint16_t)(m.length >> 8 | m.length << 8);
    if (host32(m.id) == 42 && length == 5)
        return 2;
    if (m.id == 0 && length > sizeof m.body)
        return 3;
    uint16_t both; /* two bytes from an odd address */
    memcpy(&both, m.body, sizeof both);
    return both == ('b' | 'a' << 8) ? 4 : 5;
}
