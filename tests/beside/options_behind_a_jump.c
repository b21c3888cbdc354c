#include "beside.h"
// Control comes back to where options are looked for.
static jmp_buf back;
static int round;
int main(int argc, char **argv) {
    char letter = 0;
    if (setjmp(back))
        letter = getchar();
    else if (argc > 1)
        letter = argv[1][1];
    if (letter == 'b')
        target();
    if (!round++)
        longjmp(back, 1);
    return 0;
}
