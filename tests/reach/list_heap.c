// Numbers put into a heap come to lie in a given order at its top.
// args: 
#include "bothways.h"

int main(void) {
    unsigned char heap[8];
    int size = 0;
    for (int i = 0; i < 6; i++) {
        unsigned char value;
        bw_uchar(&value, "value");
        if (i > 0 && value >= heap[size - 1])
            return 0;
        int at = size++;
        heap[at] = value;
        while (at > 0 && heap[(at - 1) / 2] > heap[at]) {
            unsigned char other = heap[at];
            heap[at] = heap[(at - 1) / 2];
            heap[(at - 1) / 2] = other;
            at = (at - 1) / 2;
        }
    }
    if (heap[0] == 3 && heap[1] == 77 && heap[2] == 50)
        return 1; // target: reachable
    return 0;
}
