//! Programs that keep a state: what one command needs, another has made. Rounds of different tests are put together.

use e2e::covered;

/// Commands in lines: an account has to be opened, filled and locked before it is locked. `sscanf` wants two words, or three.
const COMMANDS: &str = r#"
#include <stdio.h>
#include <string.h>

struct account {
    char name[8];
    int sum;
    int is_locked;
};

static struct account accounts[1];
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
            if (count == 1)
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
"#;

#[test]
fn commands_need_what_others_made() {
    // Some seeds write lines that only a full buffer ends: two of them fill the input. Of 0 to 11, six cover everything.
    for seed in [0, 1, 3, 7] {
        let args = "test a.c --stdin 64 --iterations 4000 --until 100% --json -q --seed";
        let (covered, total) = covered(COMMANDS, &format!("{args} {seed}"));
        assert_eq!(covered, total, "seed {seed}");
    }
}

/// The same with typed values: a request of three numbers in each round.
const REQUESTS: &str = r"
extern int __VERIFIER_nondet_int(void);
static int key, level;
static int request(int what, int a, int b) {
    if (what == 1000) {
        key = a;
        return a > b;
    }
    if (what == 2000) {
        if (key == 0)
            return -1;
        level = a == 77 ? 2 : 1;
        return 0;
    }
    if (what == 3000) {
        if (level == 2)
            return 5;
        if (level == 1)
            return 6;
    }
    return 0;
}
int main(void) {
    for (;;) {
        int what = __VERIFIER_nondet_int(), a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (request(what, a, b) == 5)
            return 1;
    }
}
";

#[test]
fn requests_need_what_others_made() {
    let args = "test a.c --iterations 600 --until 100% --json -q";
    let (covered, total) = covered(REQUESTS, args);
    assert_eq!(covered, total);
}

/// Settings in lines: a line that fills the stream leaves no room for the next, so lines have to be made shorter.
const SETTINGS: &str = r#"
#include <stdio.h>
#include <string.h>

static char section[16], keys[4][16];
static int count;

int main(void) {
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        if (*line == '[') {
            end = strchr(line, ']');
            if (!end)
                return 1;
            *end = 0;
            if (strlen(line + 1) >= sizeof section)
                return 2;
            strcpy(section, line + 1);
            continue;
        }
        end = strchr(line, '=');
        if (!end)
            return 3;
        *end = 0;
        if (*line == 0)
            return 4;
        if (strlen(line) >= sizeof keys[0])
            return 5;
        if (count == 4)
            return 6;
        strcpy(keys[count++], line);
    }
    if (count == 3 && *section)
        return 7;
    return 0;
}
"#;

#[test]
fn lines_as_long_as_the_stream_are_made_shorter() {
    let args = "test a.c --stdin 64 --iterations 1500 --until 100% --json -q";
    let (covered, total) = covered(SETTINGS, args);
    assert_eq!(covered, total);
}

/// A key that is empty in all that the search makes first: no byte of the input was compared with the names of keys, so nothing says
/// that one could stand before the sign.
const KEYS: &str = r#"
#include <stdio.h>
#include <string.h>

static char section[16];

int main(void) {
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        if (*line == '[') {
            end = strchr(line, ']');
            if (!end || end - line > 15)
                return 1;
            *end = 0;
            strcpy(section, line + 1);
            continue;
        }
        end = strchr(line, '=');
        if (!end)
            return 2;
        *end = 0;
        if (strcmp(section, "main"))
            return 3;
        if (strcmp(line, "level") == 0)
            return 4;
        if (strcmp(line, "verbose") == 0)
            return 5;
    }
    return 0;
}
"#;

#[test]
fn empty_keys_are_given_names() {
    let args = "test a.c --stdin 64 --iterations 250 --until 100% --json -q";
    let (covered, total) = covered(KEYS, args);
    assert_eq!(covered, total);
}

/// Letters in order: each mistake counts up to three, and what comes of it differs. A run of all letters without a mistake is found by
/// leaving mistakes out of one with them.
const MISTAKES: &str = r#"
int __VERIFIER_nondet_int(void);
__attribute__((noreturn)) void exit(int);
static int line, errors;
static const int keys[] = {'Q', 'D', 'K', 'W', 'B', 'T', 'X', 'F', 'N', 'H', 'R', 'C'};
static void wrong(int last) {
    if (errors < 3)
        errors++;
    else if (last)
        exit(2);
}
int main(void) {
    for (;;) {
        int c = __VERIFIER_nondet_int();
        if (line == 12) {
            if (errors == 0)
                exit(0);
            exit(1);
        }
        if (c == keys[line])
            line++;
        else
            wrong(line == 11);
    }
}
"#;

#[test]
fn rounds_that_spoil_what_follows_are_left_out() {
    let args = "test a.c --iterations 600 --seed 1 --until 100% --json -q";
    assert_eq!(covered(MISTAKES, args), (10, 10));
}
