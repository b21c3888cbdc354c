// Bit-fields with and without sign, an enumeration, a truth value
// function: check
// expect: branches=21/22 infeasible=1
#include <stdbool.h>

enum level { LOW = 1, MIDDLE = 4, HIGH = -3 };

struct flags {
    unsigned mode : 3;
    signed shift : 5;
    bool fast : 1;
    unsigned : 0;
    unsigned long wide : 40;
};

int check(struct flags *flags, enum level level, bool strict)
{
    if (flags->mode == 6 && flags->shift == -16)
        return 1;
    if (flags->mode > 7) /* never true: it has three bits */
        return 2;
    if (flags->wide == 0xfffffffffful && strict)
        return 3;
    switch (level) {
    case LOW:
        return flags->fast ? 4 : 5;
    case MIDDLE:
        return 6;
    case HIGH:
        return flags->shift > 14 ? 7 : 8;
    }
    return 0;
}
