//! Text that a program compares its input with comes to be in the input, whatever length it has.

use e2e::covered;

/// Sections and keys: each line is of use only behind another that is right, and every keyword has another length than what the
/// first inputs have in its place.
const SECTIONS: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    char text[40], section[16] = "";
    int verbose = 0;
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        if (text[0] == '[') {
            char *close = strchr(text, ']');
            if (!close)
                return 1;
            *close = 0;
            if (strlen(text + 1) >= sizeof section)
                return 2;
            strcpy(section, text + 1);
            continue;
        }
        char *equals = strchr(text, '=');
        if (!equals)
            return 3;
        *equals = 0;
        if (strcmp(section, "general") == 0 && strcmp(text, "verbose") == 0)
            verbose = strcmp(equals + 1, "yes") == 0;
        else if (strcmp(section, "network") == 0 && strcmp(text, "timeout") == 0)
            return strcmp(equals + 1, "never") == 0 ? 6 : 5;
    }
    return verbose;
}
"#;

/// A command by name or its unique start, in upper or lower case, in a fixed buffer of the harness's own.
const COMMANDS: &str = r#"
#include "bothways.h"
#include <string.h>
#include <strings.h>
static const char *names[] = {"print", "break", "backtrace", "continue", "quit"};
int main(void) {
    char text[12];
    bw_bytes(text, sizeof text - 1, "text");
    text[11] = 0;
    char *arguments = strchr(text, ' ');
    if (arguments)
        *arguments++ = 0;
    for (int i = 0; i < 5; i++)
        if (strcasecmp(text, names[i]) == 0)
            return arguments && strcmp(arguments, "all") == 0 ? 10 + i : i;
    return 9;
}
"#;

/// The machine tells what a run compared, as a native run does.
#[test]
fn keywords_on_the_machine() {
    let args = "test a.c --target machine --stdin 0..40 --iterations 2000 --json -q";
    assert_eq!(covered(SECTIONS, args), (20, 20));
    let args = "test a.c --target machine --iterations 2000 --json -q";
    assert_eq!(covered(COMMANDS, args), (10, 10));
}

#[test]
fn keywords_of_any_length() {
    let args = "test a.c --stdin 0..40 --iterations 2000 --json -q";
    assert_eq!(covered(SECTIONS, args), (20, 20));
}

/// With the fuzzer these inputs are run without expressions first.
#[test]
fn keywords_beside_the_fuzzer() {
    let args = "test a.c --stdin 0..40 --time 120s --until 100% --json -q";
    assert_eq!(covered(SECTIONS, args), (20, 20));
}

#[test]
fn keywords_in_an_array() {
    let args = "test a.c --iterations 2000 --json -q";
    assert_eq!(covered(COMMANDS, args), (10, 10));
}

/// A plain strategy is what its paper says, and nothing else.
#[test]
fn plain_strategies_do_without() {
    let args = "test a.c --stdin 0..40 --iterations 500 -s cgs --json -q";
    assert!(covered(SECTIONS, args).0 < 20);
}

/// A byte of text is two of the input, and each kind of digit is decoded on a path of its own.
const HEXADECIMAL: &str = r#"
#include <stdio.h>
#include <string.h>
static const struct {
    _Alignas(4096) char first[4093];
    char text[4099];
} pages = {"", "token"};
static int digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}
int main(void) {
    char line[32], text[8];
    if (!fgets(line, sizeof line, stdin)) return 1;
    int n = 0;
    for (; n < 7; n++) {
        int high = digit(line[2 * n]), low;
        if (high < 0 || (low = digit(line[2 * n + 1])) < 0) break;
        text[n] = high << 4 | low;
    }
    text[n] = 0;
    if (strncmp(text, KEYWORD, 5) == 0) return 2;
    return 0;
}
"#;

/// Whatever the first inputs are.
#[test]
fn keywords_in_hexadecimal() {
    let source = HEXADECIMAL.replace("KEYWORD", "\"token\"");
    for seed in 1..=3 {
        let args =
            format!("test a.c --stdin 31 --iterations 1000 --until 100% --seed {seed} --json -q");
        assert_eq!(covered(&source, &args), (18, 18), "{seed}");
    }
}

/// The first three characters are the last of their page: the text was thought to end there.
#[test]
fn a_keyword_goes_on_on_the_next_page() {
    let source = HEXADECIMAL.replace("KEYWORD", "pages.text");
    let args = "test a.c --stdin 31 --iterations 1000 --until 100% --json -q";
    assert_eq!(covered(&source, args), (18, 18));
}
