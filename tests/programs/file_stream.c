// A named file through FILE: its size by fseek and ftell, a header by fread, lines by fgets, single characters.
// args: --sym-file data.txt:12 -- @file
// expect: branches=13/14 infeasible=1
// witness: arg:"data.txt" file:data.txt:""
// witness: arg:"data.txt" file:data.txt:"ab\n"
// witness: arg:"data.txt" file:data.txt:"#!"
// witness: arg:"data.txt" file:data.txt:"#!xyzzyq"
// witness: arg:"data.txt" file:data.txt:"#!ab\ncd"
// witness: arg:"data.txt" file:data.txt:"#!ab\n"
// witness: arg:"data.txt" file:data.txt:"#!abc\nZ"
// witness: arg:"data.txt" file:data.txt:"#!ab\nZ\n456"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char magic[2], line[6];
    FILE *file = fopen(argv[argc - 1], "r");
    if (file == NULL) /* never true */
        return 1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    if (size > 9)
        return 2;
    if (fread(magic, 1, 2, file) < 2)
        return 3;
    if (memcmp(magic, "#!", 2) != 0)
        return 4;
    if (fgets(line, sizeof line, file) == NULL)
        return 5;
    if (strchr(line, '\n') == NULL)
        return 6;
    return getc(file) == 'Z' ? 7 : 8;
}
