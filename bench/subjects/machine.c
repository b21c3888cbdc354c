/* A state machine of the driver kind: requests in any order, most of them refused, and states that only a long and exact
 * sequence reaches (`cdaudio`, `floppy` and `kbfiltr` are of this kind). */
#include "bothways.h"

#ifndef ROUNDS /* bench/papers-driver.toml has other numbers */
#define ROUNDS 12
#endif

enum state { OFF, STARTING, READY, OPEN, READING, WRITING, SUSPENDED, FAULT, REMOVED };

static enum state state = OFF;
static int users, pending, retries, locked, block = -1, checked;

static int power(int on) {
    if (on) {
        if (state == OFF) { state = STARTING; return 0; }
        if (state == SUSPENDED) { state = users > 0 ? OPEN : READY; return 0; }
        return 1;
    }
    if (state == OPEN && pending == 0) { state = SUSPENDED; return 0; }
    if (state == READY) { state = OFF; return 0; }
    return 2;
}

static int identify(int magic) {
    if (state != STARTING)
        return 3;
    if ((magic ^ 0x5a5a) == 0x1234) { state = READY; return 0; }
    if (++retries > 2) { state = FAULT; return 4; }
    return 5;
}

static int access_to(int request, int number) {
    if (state != OPEN)
        return 6;
    if (number < 0 || number >= 4096)
        return 7;
    if (request == 4 && locked)
        return 8;
    if (block >= 0 && number == block + 1)
        checked++;
    block = number;
    pending++;
    state = request == 3 ? READING : WRITING;
    return 0;
}

static int complete(int status) {
    if (state != READING && state != WRITING)
        return 9;
    pending--;
    if (status < 0) {
        if (state == WRITING && status == -5) { locked = 1; state = OPEN; return 10; }
        if (++retries > 3) { state = FAULT; return 11; }
        pending++;
        return 12;
    }
    state = OPEN;
    return checked >= 3 ? 13 : 0;
}

int main(void) {
    int result = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int request, value;
        bw_int(&request, "request");
        bw_int(&value, "value");
        switch (request) {
        case 0: result = power(value); break;
        case 1: result = identify(value); break;
        case 2:
            if (state == READY || state == OPEN) { state = OPEN; result = ++users > 3 ? 14 : 0; }
            else result = 15;
            break;
        case 3: case 4: result = access_to(request, value); break;
        case 5: result = complete(value); break;
        case 6:
            if (users > 0 && pending == 0 && state == OPEN) { if (--users == 0) state = READY; result = 0; }
            else result = 16;
            break;
        case 7:
            if (state == FAULT && value == 0x0ff) { state = STARTING; retries = 0; result = 0; }
            else if (state == FAULT && value == 0x1ff) { state = REMOVED; return 17; }
            else result = 18;
            break;
        default: return 19;
        }
        if (result == 13 && locked)
            return 20;
    }
    return result;
}
