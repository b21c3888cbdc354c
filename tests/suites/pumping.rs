//! Branches that hang on how often a loop went round: no expression says how, so parts of inputs are repeated.

use e2e::covered;

/// A word between quotes, counted first and read then: an escape needs six bytes before the end, a list of words is long with
/// five of them. Nothing symbolic decides the three last branches.
const WORDS: &str = r#"
#include "bothways.h"
static int hex(const char *text) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + text[i] - '0';
    }
    return value;
}
static const char *word(const char *at, int *count) {
    const char *end = at;
    while (*end != '\'' && *end)
        end++;
    if (!*end)
        return 0;
    for (; at < end; at++)
        if (*at == '\\' && at[1] == 'u') {
            if (end - at < 6)
                return 0;
            if (hex(at + 2) < 0)
                return 0;
            at += 5;
        }
    if (++*count >= 5)
        return 0;
    return end + 1;
}
int main(void) {
    char text[25];
    bw_bytes(text, sizeof text - 1, "text");
    text[24] = 0;
    int count = 0;
    const char *at = text;
    while (at && *at == '\'')
        at = word(at + 1, &count);
    return count >= 5 ? 2 : at == 0;
}
"#;

#[test]
fn loops_go_round_as_often_as_it_takes() {
    for seed in 0..3 {
        let args = format!("test a.c --iterations 300 --seed {seed} --json -q");
        let (covered, total) = covered(WORDS, &args);
        assert_eq!(covered, total, "seed {seed}");
    }
}

/// With the fuzzer these inputs are run without expressions first.
#[test]
fn loops_beside_the_fuzzer() {
    let args = "test a.c --time 120s --until 100% --json -q";
    let (covered, total) = covered(WORDS, args);
    assert_eq!(covered, total);
}

/// Sequences of typed values.
const VALUES: &str = r"
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int k, length = 0;
    while ((k = __VERIFIER_nondet_int()) > 0)
        if (++length > 64)
            break;
    return length > 64;
}
";

#[test]
fn sequences_of_values_are_pumped() {
    for seed in 0..3 {
        let args = format!("test a.c --iterations 300 --seed {seed} --json -q");
        let (covered, total) = covered(VALUES, &args);
        assert_eq!(covered, total, "seed {seed}");
    }
}
