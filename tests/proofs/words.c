// args: --sym-arg 3 -- -n @arg
// branch: 36:1 entry: no run with the arguments `-n …` comes there
// branch: 38:12 true: no run with the arguments `-n …` comes there
// branch: 38:12 false: no run with the arguments `-n …` comes there
// branch: 39:16 true: no run with the arguments `-n …` comes there
// branch: 39:16 false: no run with the arguments `-n …` comes there
// branch: 51:12 false: no run with the arguments `-n …` comes there
// branch: 52:13 true: no run with the arguments `-n …` comes there
// branch: 59:9 true: no run with the arguments `-n …` comes there
// branch: 61:9 true: no run with the arguments `-n …` comes there
// branch: 61:20 true: no run with the arguments `-n …` comes there
// branch: 61:20 false: no run with the arguments `-n …` comes there
// mcdc: 36:1 entry: no run with the arguments `-n …` comes there
// mcdc: 36:1 exit: no run with the arguments `-n …` comes there
// mcdc: 38:12 true: no run with the arguments `-n …` comes there
// mcdc: 38:12 false: no run with the arguments `-n …` comes there
// mcdc: 39:16 true: no run with the arguments `-n …` comes there
// mcdc: 39:16 false: no run with the arguments `-n …` comes there
// mcdc: 51:12 false: no run with the arguments `-n …` comes there
// mcdc: 52:13 true: no run with the arguments `-n …` comes there
// mcdc: 59:9 true: no run with the arguments `-n …` comes there
// mcdc: 60:9 exit: no run with the arguments `-n …` comes there
// mcdc: 61:9 true: no run with the arguments `-n …` comes there
// mcdc: 61:9 decision true: no run with the arguments `-n …` comes there
// mcdc: 61:20 true: no run with the arguments `-n …` comes there
// mcdc: 61:20 false: no run with the arguments `-n …` comes there
// mcdc: 62:9 exit: no run with the arguments `-n …` comes there
// Options that the words give or do not give, looked for by hand.
#include <stdio.h>
#include <string.h>

static int is_loud, is_numbered;

/* Called with -l only. */
static int shout(const char *word)
{
    int last = 0;
    for (; *word; word++)
        last = *word == '!' ? 2 : last;
    return last;
}

static int number(const char *word)
{
    return word[0] == '1' && word[1] == '2' ? 12 : 0;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && at < 2; at++) {
        if (strcmp(argv[at], "-l") == 0)
            is_loud = 1;
        else if (strcmp(argv[at], "-n") == 0)
            is_numbered = 1;
        else
            return 2;
    }
    if (at == argc)
        return 3;
    if (is_loud && shout(argv[at]) > 1)
        return 4;
    if (is_numbered && number(argv[at]) == 12)
        return 5;
    return 0;
}
