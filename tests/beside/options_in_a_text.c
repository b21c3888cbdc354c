#include "beside.h"
// Parts of a word that `strtok` takes apart.
int main(int argc, char **argv) {
    char line[8] = "-a";
    line[2] = getchar();
    line[3] = 'b';
    for (char *part = strtok(line, ","); part; part = strtok(NULL, ","))
        if (strcmp(part, "b") == 0)
            target();
    if (argc > 1 && strcmp(argv[1], "b") == 0)
        puts("never");
    return 0;
}
