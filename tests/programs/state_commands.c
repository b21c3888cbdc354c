// Commands that need the state that other commands made: an account has to be opened, filled and locked before it is locked.
// args: --stdin 64 --iterations 4000
// expect: branches=26/26 infeasible=0
// witness: stdin:"open a\nput a 5\nlock a\nput a 5\n"
// witness: stdin:"open a\nopen a\n"
// witness: stdin:"open a\nlock a\nput b 1\n"
// witness: stdin:"lock a\nput a 0\nopen\nclose a\n"
// witness: stdin:"open a\nput a 0\nclose a\n\n"
// witness: stdin:"open a\nopen b\nput b 1\nopen c\nlock b\n"
#include <stdio.h>
#include <string.h>

struct account {
    char name[8];
    int sum;
    int is_locked;
};

static struct account accounts[2];
static int count;

static struct account *find(const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(accounts[i].name, name) == 0)
            return &accounts[i];
    return NULL;
}

int main(void) {
    char line[32], command[8], name[8];
    while (fgets(line, sizeof line, stdin)) {
        int number = 0;
        int words = sscanf(line, "%7s %7s %d", command, name, &number);
        if (words < 2)
            continue;
        struct account *account = find(name);
        if (strcmp(command, "open") == 0) {
            if (account)
                return 1;
            if (count == 2)
                return 2;
            strcpy(accounts[count++].name, name);
        } else if (!account) {
            continue;
        } else if (strcmp(command, "put") == 0) {
            if (number <= 0)
                continue;
            if (account->is_locked)
                return 3;
            account->sum += number;
        } else if (strcmp(command, "lock") == 0) {
            if (account->sum > 0)
                account->is_locked = 1;
        }
    }
    return 0;
}
