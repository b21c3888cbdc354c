// An option file: one key must be set to a number before another is seen.
// args: --stdin 24
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bothways.h"

int main(void) {
    char line[32];
    int limit = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "limit=", 6) == 0)
            limit = atoi(line + 6);
        else if (strncmp(line, "run", 3) == 0 && limit == 4711)
            return 1; // target: reachable
    }
    return 0;
}
