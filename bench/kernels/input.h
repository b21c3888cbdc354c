/* 4 KB of reproducible input; with SYMBOLIC=n, the first n bytes are symbolic. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SYMBOLIC
#include "bothways.h"
#endif

#define SIZE 4096

static unsigned char input[SIZE];

static int prepare(int argc, char **argv, int rounds) {
    uint32_t state = 12345;
    for (int i = 0; i < SIZE; i++) {
        state = state * 1664525u + 1013904223u;
        input[i] = (unsigned char)(state >> 24);
    }
#ifdef SYMBOLIC
    bw_bytes(input, SYMBOLIC, "input");
#endif
    return argc > 1 ? atoi(argv[1]) : rounds;
}
