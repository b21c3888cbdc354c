// A struct with a buffer, its sizes, and operations as function pointers
// function: push
// expect: branches=20/20 infeasible=0
#include <stddef.h>

struct ring {
    unsigned char *data;
    size_t capacity, used, head;
    int (*full)(struct ring *);
};

int push(struct ring *ring, unsigned char byte)
{
    if (!ring->data || ring->capacity == 0 || ring->capacity > 8)
        return -1;
    if (ring->head >= ring->capacity || ring->used > ring->capacity)
        return -2;
    if (ring->used == ring->capacity) {
        if (!ring->full)
            return -3;
        if (ring->full(ring) < 0)
            return -4;
        ring->used--;
    }
    ring->data[(ring->head + ring->used) % ring->capacity] = byte;
    ring->used++;
    return byte == 0x80 && ring->data[0] == 0x80;
}
