// getopt_long over symbolic arguments: groups, arguments, long names and their abbreviations.
// expect: branches=20/20 infeasible=0
// witness: "-v\x00\x00\x00\x00\x00\x00" "\x00\x00\x00"
// witness: "-v\x00\x00\x00\x00\x00\x00" "-v\x00"
// witness: "-o\x00\x00\x00\x00\x00\x00" "x\x00\x00"
// witness: "-oy\x00\x00\x00\x00\x00" "x\x00\x00"
// witness: "--output" "x\x00\x00"
// witness: "--level\x00" "x\x00\x00"
// witness: "--l=7\x00\x00\x00" "x\x00\x00"
// witness: "--l=8\x00\x00\x00" "x\x00\x00"
// witness: "-q\x00\x00\x00\x00\x00\x00" "x\x00\x00"
// witness: "a\x00\x00\x00\x00\x00\x00\x00" "-v\x00"
// witness: "a\x00\x00\x00\x00\x00\x00\x00" "b\x00\x00"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bothways.h"

int main(void) {
    char first[9] = {0}, second[4] = {0};
    char name[] = "program";
    char *arguments[] = {name, first, second, NULL};
    static const struct option known[] = {{"output", required_argument, NULL, 'o'},
                                          {"level", optional_argument, NULL, 'l'},
                                          {NULL, 0, NULL, 0}};
    int verbose = 0, option;
    bw_bytes(first, 8, "first");
    bw_bytes(second, 3, "second");
    opterr = 0;
    while ((option = getopt_long(3, arguments, "vo:", known, NULL)) != -1)
        switch (option) {
            case 'v': verbose = 1; break;
            case 'o':
                if (optarg[0] == 'x')
                    return 1;
                break;
            case 'l':
                if (optarg && atoi(optarg) == 7)
                    return 2;
                break;
            default: return 3;
        }
    if (verbose && optind == 2)
        return 4;
    return 0;
}
