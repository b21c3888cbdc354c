#include "beside.h"
// The program defines what `getopt` writes to.
int optind = 1;
int main(int argc, char **argv) {
    char c = 0;
    read(0, &c, 1);
    while (getopt(argc, argv, "ab") != -1) {
    }
    if (c == 'x' && optind == 2) target();
    return 0;
}
