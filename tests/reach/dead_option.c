// Dead: a mode that no option sets, asked for in a function that is called through a table.
// args: --stdin 8
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bothways.h"

struct options {
    int verbose, mode;
};

static int total;

static void plain(const struct options *options, int c) {
    total += c * (options->verbose + 1);
}

static void strange(const struct options *options, int c) {
    if (options->mode == 3)
        total -= c; // target: unreachable
    total += options->mode;
}

static void (*const actions[])(const struct options *, int) = {plain, strange};

int main(void) {
    struct options *options = malloc(sizeof *options);
    if (!options)
        return 1;
    memset(options, 0, sizeof *options);
    int c;
    while ((c = getchar()) != EOF) {
        if (c == 'v')
            options->verbose++;
        else if (c == 'm')
            options->mode = 1;
        else
            actions[c & 1](options, c);
    }
    free(options);
    return total & 127;
}
