/* A small command interpreter over standard input: keywords, numbers, and a division that can trap.
 *
 *     bothways test examples/tokens.c --stdin 16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(char *line, int *account) {
    char *argument = strchr(line, ' ');
    if (argument != NULL)
        *argument++ = '\0';
    if (strcmp(line, "add") == 0) {
        if (argument == NULL)
            return -1;
        *account += atoi(argument);
    } else if (strcmp(line, "split") == 0) {
        if (argument == NULL)
            return -1;
        *account = 1000 / atoi(argument);
    } else if (strcmp(line, "quit") == 0) {
        return 1;
    } else {
        return -1;
    }
    return 0;
}

int main(void) {
    char line[16];
    int account = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        int status = run(line, &account);
        if (status < 0) {
            fputs("error\n", stderr);
            return 2;
        }
        if (status > 0)
            break;
    }
    printf("%d\n", account);
    return 0;
}
