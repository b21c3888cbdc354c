//! `bothways reach`: each form of target, each verdict, what a change reads like, and what is no target.

mod change;
mod command;
mod figures;
mod places;
mod proofs;

use std::fs;
use std::path::Path;
use std::process::Output;

use e2e::run;

/// A program of many forms of targets.
const SOURCE: &str = r#"#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static int never(int x) { return x + 1; }
static int twice(int x) {
    if (x > 3 && x < 9)
        return x * 2;
    return x;
}
int open_one(int y) { return y - 1; }
int main(void) {
    int c = getchar();
    int d = 0;
    if (0) {
        d = 5;
        puts("x");
    }
    if (c == 'a') {
        d = 1;
    } else {
        d = 2;
    }
#if 0
    puts("never");
#endif
    assert(c != 'z');
    d = twice(d + c);
    if (c > 10 && c < 5)
        abort();
    return d;
}
"#;

/// Runs `bothways reach a.c` in a folder with these files.
fn reach_in(dir: &Path, args: &[&str]) -> Output {
    let words = ["reach", "a.c", "--stdin", "4", "-q", "-n", "50"];
    run(dir, &[&words, args].concat())
}

fn folder(source: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    dir
}

/// The exit code, and what was said on both streams.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = [&*output.stdout, &*output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}
