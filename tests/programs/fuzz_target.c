// A fuzz target without main: bytes and size are symbolic, and no byte lies behind the size.
// args: --fuzz-input 16
// expect: branches=10/10 infeasible=0
// witness: fuzz:""
// witness: fuzz:"abcd"
// witness: fuzz:"\x03FUZ"
// witness: fuzz:"\x04FUZ"
// witness: fuzz:"\x04FUZZ"
// witness: fuzz:"\x04FUZX"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4)
        return 0;
    if (memcmp(data + 1, "FUZ", 3) != 0)
        return 0;
    if (data[0] != size - 1)
        return 0;
    if (size == 5 && data[4] == 'Z')
        return 0;
    return 0;
}
