// Standard input line by line: fgets, lines that are too long, and the end of the file.
// args: --stdin 12
// expect: branches=14/14 infeasible=0
// witness: stdin:"set\nget\n"
// witness: stdin:""
// witness: stdin:"\n"
// witness: stdin:"aaaaaaaaaaaa"
// witness: stdin:"set"
// witness: stdin:"set\nset\n"
// witness: stdin:"a\nb"
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[8];
    int lines = 0, set = 0;
    while (fgets(line, sizeof line, stdin)) {
        char *end = strchr(line, '\n');
        if (!end)
            return lines ? 1 : 2;
        *end = 0;
        if (line[0] == 0)
            return 3;
        if (strcmp(line, "set") == 0)
            set++;
        lines++;
    }
    if (lines == 0)
        return 4;
    return set == 2 ? 5 : 6;
}
