// A stream: lines of a file, counted until a marker
// function: marked_lines
// expect: branches=12/12 infeasible=0
#include <stdio.h>
#include <string.h>

int marked_lines(FILE *in)
{
    char line[16];
    int lines = 0;
    if (!in)
        return -1;
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#')
            continue;
        if (strncmp(line, "end", 3) == 0)
            return lines + 100;
        if (++lines == 3)
            return 3;
    }
    return lines ? 1 : 0;
}
