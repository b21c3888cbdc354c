//! What a suite looks like on disk, in our own format and in others.

use std::fs;
use std::path::Path;

use e2e::{run, shown};
use tempfile::TempDir;

/// The suite of a program, in `out`.
fn suite(source: &str, args: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let first = [
        "test",
        "a.c",
        "--quiet",
        "--out",
        "out",
        "--strategy",
        "cgs",
    ];
    let output = run(dir.path(), &[&first[..], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    dir
}

/// Every file of a folder, in the order of the names, as one text.
fn texts(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let read = |path| fs::read_to_string(path).expect("it is text");
    paths.iter().map(read).collect()
}

#[test]
fn test_comp_has_the_calls_of_nondet_functions_only() {
    let source = r#"
        #include "bothways.h"
        extern int __VERIFIER_nondet_int(void);
        extern unsigned char __VERIFIER_nondet_uchar(void);
        extern void reach_error(void);
        int main(void) {
            int own;
            bw_int(&own, "own");
            int n = __VERIFIER_nondet_int();
            unsigned char c = __VERIFIER_nondet_uchar();
            if (n == -77 && c == 200)
                reach_error();
            return own == 5;
        }
    "#;
    let dir = suite(source, &["--emit", "test-comp"]);
    let all = texts(&dir.path().join("out/test-comp"));
    let inputs = "<input type=\"int\">-77</input>\n  <input type=\"unsigned char\">200</input>";
    assert!(all.contains(inputs), "{all}");
    assert!(all.contains("coversError=\"true\""), "{all}");
    assert!(!all.contains(">5<"), "{all}");
    assert!(all.contains("<sourcecodelang>C</sourcecodelang>"), "{all}");
    assert!(dir.path().join("out/test-comp.zip").is_file());
}

/// Bytes as files, one folder a stream; they are seeds again.
#[test]
fn corpora_for_fuzzers() {
    let source = r#"
        #include <stdio.h>
        int main(int argc, char **argv) {
            if (getchar() == 'o' && getchar() == 'k')
                return 1;
            FILE *file = fopen("data", "r");
            return file && getc(file) == '!';
        }
    "#;
    let dir = suite(
        source,
        &["--stdin", "4", "--sym-file", "data:2", "--emit", "corpus"],
    );
    let folder = |name: &str| dir.path().join("out/corpus").join(name);
    assert!(texts(&folder("stdin")).contains("ok"));
    assert!(texts(&folder("data")).contains('!'));
}

#[test]
fn programs_may_define_reach_error_themselves() {
    let source = r#"
        extern void abort(void);
        extern int __VERIFIER_nondet_int(void);
        void reach_error(void) { abort(); }
        int main(void) {
            if (__VERIFIER_nondet_int() == 7)
                reach_error();
        }
    "#;
    let dir = suite(source, &["--emit", "test-comp"]);
    let all = texts(&dir.path().join("out/test-comp"));
    assert_eq!(all.matches("coversError=\"true\"").count(), 1, "{all}");
}

#[test]
fn arrays_of_bytes_are_one_line() {
    let source = r#"
        #include "bothways.h"
        int main(void) {
            char word[4];
            bw_bytes(word, 4, "word");
            return word[0] == 'g' && word[1] == 'o' && word[2] == 0;
        }
    "#;
    let dir = suite(source, &[]);
    let all = texts(&dir.path().join("out/tests"));
    assert!(all.contains("word bytes 676f00"), "{all}");
}
