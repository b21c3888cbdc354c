// A callback that fills buffers of less than eight bytes
// function: header
// expect: branches=18/18 infeasible=0
#include <stddef.h>

struct source {
    int (*read)(void *self, void *data, size_t count);
};

int header(struct source *source)
{
    unsigned char magic[4], length[2], kind;
    if (!source || !source->read)
        return -1;
    if (source->read(NULL, magic, sizeof magic) != 0)
        return -2;
    if (magic[0] != 'R' || magic[3] != 'F')
        return -3;
    if (source->read(NULL, length, sizeof length) != 0)
        return -4;
    if (length[0] > length[1])
        return -5;
    if (source->read(NULL, &kind, sizeof kind) != 0)
        return -6;
    return kind == 7 ? 1 : 0;
}
