// Files by descriptors and by FILE: some that the program makes and reads again, some that are missing, and one that is an input.
// args: --sym-file data.txt:6
// expect: branches=40/62 infeasible=0 open=22
// witness: file:data.txt:""
// witness: file:data.txt:"q"
// witness: file:data.txt:"a"
// witness: file:data.txt:"a=b"
// witness: file:data.txt:"abx"
// witness: file:data.txt:"abc=z"
// witness: file:data.txt:"a\nb\n"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is written comes back, whatever the input is. */
static int scratch(void) {
    char text[16] = "";
    FILE *file = fopen("own.txt", "w");
    if (file == NULL) /* never true, but open */
        return 1;
    fprintf(file, "%d-%s\n", 42, "ab");
    fputs("second", file);
    fputc('\n', file);
    fwrite("xyz", 1, 3, file);
    fclose(file);
    file = fopen("./own.txt", "a+");
    fputs("!", file);
    if (fseek(file, -4, SEEK_END) != 0 || ftell(file) != 13) /* never true, but open; never true, but open */
        return 2;
    if (fread(text, 1, sizeof text, file) != 4 || !feof(file) || memcmp(text, "xyz!", 4) != 0) /* never true, but open; never true, but open; never true, but open */
        return 3;
    rewind(file);
    if (fgets(text, sizeof text, file) == NULL || strcmp(text, "42-ab\n") != 0) /* never true, but open; never true, but open */
        return 4;
    int c = getc(file);
    if (ungetc('S', file) != 'S' || getc(file) != 'S' || c != 's') /* never true, but open; never true, but open; never true, but open */
        return 5;
    fclose(file);
    return 0;
}

static int missing(void) {
    if (fopen("nothing", "r") != NULL || errno != ENOENT) /* never true, but open; never true, but open */
        return 1;
    if (open("nothing", O_RDONLY) != -1 || access("nothing", F_OK) == 0 || remove("nothing") == 0) /* never true, but open; never true, but open; never true, but open */
        return 2;
    if (close(77) != -1 || errno != EBADF) /* never true, but open; never true, but open */
        return 3;
    if (strcmp(strerror(ENOENT), "No such file or directory") != 0) /* never true, but open */
        return 4;
    return 0;
}

int main(void) {
    char byte = 0, twice[2];
    int failed = scratch() * 10 + missing();
    if (failed) /* never true, but open */
        return failed;
    int first = open("data.txt", O_RDONLY), second = dup(first);
    if (read(first, &byte, 1) != 1)
        return 101;
    if (byte == 'q')
        return 102;
    if (read(second, twice, 2) == 2 && twice[0] == 'b' && twice[1] == 'x')
        return 103;
    close(first);
    close(second);
    FILE *again = fopen("data.txt", "r");
    int lines = 0, c;
    while ((c = getc(again)) != EOF) {
        if (c == '=' && ungetc(c, again) == '=' && getc(again) == '=') /* never false, but open; never false, but open */
            return getc(again) == 'z' ? 104 : 105;
        lines += c == '\n';
    }
    fclose(again);
    return lines == 2 ? 106 : 0;
}
