//! What a change reads like.

use std::fs;
use std::process::Command;

use e2e::shown;
use serde_json::Value;

use super::{SOURCE, folder, reach_in, said};

const BEFORE: &str = r"#include <stdio.h>
int main(void) {
    int c = getchar();
    if (c == 'x')
        return 1;
    return 0;
}
";

const AFTER: &str = r"#include <stdio.h>
int main(void) {
    int c = getchar();
    // Letters and digits
    if (c == 'x')
        return 3;
    if (c > 90 && c < 40)
        return 2;
    return 0;
}
";

const DIFF: &str = "\
--- a/a.c
+++ b/a.c
@@ -1,7 +1,10 @@
 #include <stdio.h>
 int main(void) {
     int c = getchar();
+    // Letters and digits
     if (c == 'x')
-        return 1;
+        return 3;
+    if (c > 90 && c < 40)
+        return 2;
     return 0;
 }
--- a/NEWS
+++ b/NEWS
@@ -0,0 +1 @@
+x
";

#[test]
fn a_change_reads_as_a_review() {
    let dir = folder(AFTER);
    let path = dir.path();
    fs::write(path.join("fix.diff"), DIFF).expect("writes");
    let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
    assert_eq!(code, Some(0), "{text}");
    let summary = "2 of 3 changed lines covered, 1 proved unreachable";
    let rest = "left out: 1 changed line without code, and NEWS, which is no source of the program";
    assert!(text.contains(summary) && text.contains(rest), "{text}");
    assert!(
        text.contains("a.c:8  unreachable  7:19 is never true"),
        "{text}"
    );

    for (source, expected) in [
        (BEFORE, "it is not applied yet"),
        (SOURCE, "the hunk in line 3 of the diff does not apply"),
    ] {
        fs::write(path.join("a.c"), source).expect("writes");
        let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// Packages write their own name in front, and a file of the same name may stand in another folder.
#[test]
fn leading_folders_of_a_change_are_taken_off() {
    let dir = folder(AFTER);
    let path = dir.path();
    let other = "--- pkg.orig/tests/a.c\n+++ pkg/tests/a.c\n@@ -1 +1 @@\n-old\n+new\n";
    let own = DIFF.replace("a/a.c", "pkg.orig/src/a.c");
    let own = own.replace("b/a.c", "pkg/src/a.c");
    fs::write(path.join("fix.diff"), other.to_owned() + &own).expect("writes");
    let (code, text) = said(&reach_in(path, &["--diff", "fix.diff"]));
    assert_eq!(code, Some(0), "{text}");
    let summary = "2 of 3 changed lines covered, 1 proved unreachable";
    let rest = "pkg/tests/a.c, NEWS, which are no sources of the program";
    assert!(text.contains(summary) && text.contains(rest), "{text}");
    assert!(
        text.contains("a.c:8  unreachable  7:19 is never true"),
        "{text}"
    );
}

#[test]
fn a_change_may_be_a_git_revision() {
    let dir = folder(BEFORE);
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(dir.path()).args(args);
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "a");
            git.env(format!("GIT_{who}_EMAIL"), "a@b");
        }
        git.output().is_ok_and(|output| output.status.success())
    };
    for args in [
        &["init", "-q"][..],
        &["add", "a.c"],
        &["commit", "-q", "-m", "a"],
    ] {
        assert!(git(args), "git {args:?}");
    }
    fs::write(dir.path().join("a.c"), AFTER).expect("writes");
    let output = reach_in(dir.path(), &["--diff", "HEAD", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answers["counts"]["reached"], 2, "{answers}");
    assert_eq!(answers["change"]["without_code"], 1, "{answers}");
}
