#include "beside.h"
#include <error.h>
int main(void) {
    char c;
    read(0, &c, 1);
    unsigned step = c == 107 ? 1 : 5;
    unsigned before = error_message_count;
    error(0, 0, "a message");
    if (error_message_count == before + step) target();
    return 0;
}
