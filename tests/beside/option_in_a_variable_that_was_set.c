#include "beside.h"
// `getopt` sets it anew.
int main(int argc, char **argv) {
    char c = 0;
    read(0, &c, 1);
    optind = 1;
    while (getopt(argc, argv, "ab") != -1) {
    }
    if (c == 'x' && optind == 2) target();
    return 0;
}
