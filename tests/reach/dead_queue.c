// Dead: a ring of eight places never holds more than eight, whatever is put in and taken out.
// args: --stdin 30
#include <stdio.h>
#include "bothways.h"

static int ring[8], head, used;

static int put(int value) {
    if (used == 8)
        return 0;
    ring[(head + used) % 8] = value;
    used++;
    return 1;
}

static int get(void) {
    if (used == 0)
        return -1;
    int value = ring[head];
    head = (head + 1) % 8;
    used--;
    return value;
}

int main(void) {
    int c, lost = 0, sum = 0;
    while ((c = getchar()) != EOF) {
        if (c >= 'a')
            lost += !put(c);
        else
            sum += get();
    }
    if (used > 8 || head > 7)
        return lost; // target: unreachable
    return sum & 63;
}
