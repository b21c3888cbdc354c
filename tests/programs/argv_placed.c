// Symbolic arguments between fixed ones: what is fixed stays fixed, and a short argument ends with its zero byte.
// args: --sym-arg 4 --sym-arg 2 -- -e @arg middle @arg
// expect: branches=11/14 infeasible=3
// witness: arg:"-e" arg:"abcd" arg:"middle" arg:"x"
// witness: arg:"-e" arg:"" arg:"middle" arg:""
// witness: arg:"-e" arg:"ab" arg:"middle" arg:"xy"
// witness: arg:"-e" arg:"bb" arg:"middle" arg:"xy"
// witness: arg:"-e" arg:"bb" arg:"middle" arg:"xz"
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 5 || strcmp(argv[1], "-e") != 0 || strcmp(argv[3], "middle") != 0) /* never true, never true, never true */
        return 1;
    size_t first = strlen(argv[2]), second = strlen(argv[4]);
    if (first == 4)
        return 2;
    if (second == 2 && argv[4][1] == 'y' && argv[2][0] == 'a')
        return 3;
    return first > 4; /* a value, no branch */
}
