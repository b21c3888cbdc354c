// A named file through descriptors: its size by fstat and lseek, bytes by read, pread and mmap.
// args: --sym-file input:12
// expect: branches=16/20 infeasible=4
// witness: file:input:""
// witness: file:input:"a"
// witness: file:input:"abcp"
// witness: file:input:"abcdefg"
// witness: file:input:"abcd$"
// witness: file:input:"mbcdx"
// witness: file:input:"abcdx"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    char byte;
    struct stat status;
    int file = open("input", O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) /* never true, never true */
        return 1;
    if (status.st_size == 0)
        return 2;
    if (pread(file, &byte, 1, 3) == 1 && byte == 'p')
        return 3;
    if (lseek(file, -1, SEEK_END) == 6)
        return 4;
    if (read(file, &byte, 1) != 1) /* never true */
        return 5;
    if (byte == '$')
        return 6;
    const char *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (text == MAP_FAILED) /* never true */
        return 7;
    return text[0] == 'm' ? 8 : 9;
}
