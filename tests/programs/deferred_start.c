// Before it touches its input the program reads a part of a file of its own, and the rest behind it: what is done first is done
// once for all runs, and each run goes on from there by itself.
// args: --stdin 3 --sym-file notes.txt:2 -- @file
// expect: branches=15/22 infeasible=7
// witness: arg:"notes.txt" file:notes.txt:"xy" stdin:"abc"
// witness: arg:"notes.txt" file:notes.txt:"n" stdin:"x"
// witness: arg:"notes.txt" file:notes.txt:"n" stdin:"q"
// witness: arg:"notes.txt" file:notes.txt:"" stdin:""
// witness: arg:"notes.txt" file:notes.txt:"" stdin:"a"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char own[8];

static int prepare(const char *name) {
    int file = open(name, O_RDONLY);
    if (file < 0) /* never true */
        return -1;
    if (read(file, own, 1) != 1) /* never true */
        return -1;
    return file;
}

int main(int argc, char **argv) {
    const char *self = "/proc/self/exe";
    int file = prepare(self);
    FILE *library = fopen(self, "r");
    if (library == NULL || getc(library) != 0x7f) /* never true */ /* never true */
        return 1;
    int c = getchar();
    if (read(file, own + 1, 3) != 3 || memcmp(own + 1, "ELF", 3) != 0) /* never true */ /* never true */
        return 2;
    if (getc(library) != 'E') /* never true */
        return 3;
    if (c == 'a')
        return getchar() == 'b' ? 4 : 5;
    FILE *notes = fopen(argv[argc - 1], "r");
    if (getc(notes) == 'n')
        return c == 'q' ? 6 : 7;
    return 8;
}
