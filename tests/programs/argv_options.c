// Arguments of any number and length: options, one with a value behind it, an operand, no other input.
// args: --sym-args 0..4:8
// expect: branches=24/24 infeasible=0
// witness:
// witness: arg:"-v" arg:"-v" arg:"--level" arg:"high"
// witness: arg:"--level" arg:"low" arg:"-" arg:"word"
// witness: arg:"--level"
// witness: arg:"--level" arg:"9999" arg:"input"
// witness: arg:"--level" arg:"7" arg:"-v" arg:"input"
// witness: arg:"-v" arg:"--level" arg:"low" arg:"-v"
// witness: arg:"-v" arg:"-v" arg:"x"
#include <stdlib.h>
#include <string.h>

static int level(const char *text) {
    if (strcmp(text, "low") == 0)
        return 1;
    if (strcmp(text, "high") == 0)
        return 2;
    return atoi(text);
}

int main(int argc, char **argv) {
    int verbose = 0, chosen = 0;
    const char *operand = NULL;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            operand = argv[i];
        } else if (argv[i][1] == 'v') {
            verbose++;
        } else if (strcmp(argv[i], "--level") == 0) {
            if (++i == argc)
                return 2;
            chosen = level(argv[i]);
        } else {
            return 3;
        }
    }
    if (chosen > 1000)
        return 4;
    if (verbose > 1 && chosen == 2)
        return 5;
    if (operand != NULL && strlen(operand) == 5)
        return 6;
    return 0;
}
