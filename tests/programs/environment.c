// Environment variables: set or not, of any length, by getenv and as main's third parameter.
// args: --sym-env MODE:6 --sym-env LIMIT:3
// expect: branches=14/16 infeasible=2
// witness:
// witness: env:MODE:"fast"
// witness: env:MODE:"fast" env:LIMIT:"12"
// witness: env:MODE:"fast" env:LIMIT:"99"
// witness: env:MODE:"x" env:LIMIT:""
// witness: env:MODE:"limit"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv, char **envp) {
    const char *mode = getenv("MODE"), *limit = getenv("LIMIT");
    (void)argc, (void)argv;
    if (mode == NULL)
        return 1;
    if (strcmp(mode, "fast") == 0) {
        if (limit == NULL)
            return 2;
        return atoi(limit) > 50 ? 3 : 4;
    }
    while (*envp != NULL /* never false */ && strncmp(*envp, "MODE=", 5) != 0)
        envp++;
    if (*envp == NULL) /* never true */
        return 5;
    return strcmp(*envp + 5, "limit") == 0 ? 6 : 7;
}
