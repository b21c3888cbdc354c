#include "beside.h"
int main(int argc, char **argv) {
    char c;
    read(0, &c, 1);
    int step = c == 107 ? 1 : 5;
    int before = optind;
    getopt(argc, argv, "a");
    if (optind == before + step) target();
    return 0;
}
