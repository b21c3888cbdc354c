#include "beside.h"
// The second time, in a list of the program's own.
static int find(int count, char **list) {
    int found = 0, option;
    while ((option = getopt(count, list, "ab")) != -1)
        found |= option == 'b';
    return found;
}
int main(int argc, char **argv) {
    char word[3] = "-";
    char *own[] = {"own", word, NULL};
    if (find(argc, argv))
        return 1;
    word[1] = getchar();
    optind = 1;
    if (find(2, own))
        target();
    return 0;
}
