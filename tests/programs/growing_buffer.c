// malloc, realloc and free: a buffer that grows with the input.
// expect: branches=14/16 infeasible=2
// witness: 3 1 1 1 1
// witness: 0
// witness: 6 1 2 3 4 5 6
// witness: 100
// witness: 1 7
// witness: 3 1 2 3
#include <stdlib.h>

#include "bothways.h"

struct buffer {
    unsigned used, room;
    int *data;
};

static int push(struct buffer *buffer, int value) {
    if (buffer->used == buffer->room) {
        unsigned room = buffer->room ? buffer->room * 2 : 2;
        int *data = realloc(buffer->data, room * sizeof *data);
        if (!data) /* never true: memory does not run out here */
            return 0;
        buffer->data = data;
        buffer->room = room;
    }
    buffer->data[buffer->used++] = value;
    return 1;
}

int main(void) {
    struct buffer buffer = {0, 0, NULL};
    unsigned count;
    bw_uint(&count, "count");
    if (count > 4)
        return 1;
    for (unsigned i = 0; i < count; i++) {
        int value;
        bw_int(&value, "value");
        if (!push(&buffer, value)) /* never true */
            return 2;
    }
    if (buffer.room == 4 && buffer.data[2] == 3)
        return 3;
    free(buffer.data);
    return 0;
}
