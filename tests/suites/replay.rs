//! A suite on disk can be replayed, test by test, and says what is wrong with it when it cannot.

use std::fs;
use std::path::Path;

use e2e::{root, run, shown};
use tempfile::TempDir;

/// A folder with a suite of `examples/triangle.c` in `suite`, and the source beside it.
fn suite() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = root().join("examples/triangle.c");
    fs::copy(source, dir.path().join("triangle.c")).expect("the example is there");
    let made = run(
        dir.path(),
        &["test", "triangle.c", "--out", "suite", "--quiet"],
    );
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    dir
}

fn check(dir: &Path, args: &[&str], status: i32, says: &[&str]) {
    let output = run(dir, args);
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    for words in says {
        assert!(text.contains(words), "does not say `{words}`: {text}");
    }
}

#[test]
fn every_test_again() {
    let dir = suite();
    let says = ["22 of 22 branches covered", "tests/test-0001.test"];
    check(dir.path(), &["replay", "suite"], 0, &says);
}

#[test]
fn one_test_under_the_debugger() {
    let dir = suite();
    let says = ["gdb", "tests/test-0002.test", "suite/judge"];
    check(dir.path(), &["replay", "suite", "--gdb", "2"], 0, &says);
    let says = ["no test 99", "1 to"];
    check(dir.path(), &["replay", "suite", "--gdb", "99"], 2, &says);
}

#[test]
fn a_test_that_ends_differently() {
    let dir = suite();
    let test = dir.path().join("suite/tests/test-0001.test");
    let manifest = dir.path().join("suite/manifest.json");
    let text = fs::read_to_string(&manifest).expect("there is a manifest");
    fs::write(&manifest, text.replace("\"exited 0\"", "\"exited 77\"")).expect("writes");
    assert!(test.is_file());
    check(dir.path(), &["replay", "suite"], 1, &["was exited 77"]);
}

#[test]
fn a_test_file_is_missing_or_broken() {
    let dir = suite();
    let test = dir.path().join("suite/tests/test-0001.test");
    fs::write(&test, "bothways-test 1\nn i32 many\n").expect("writes");
    check(
        dir.path(),
        &["replay", "suite"],
        2,
        &["test-0001.test", "many"],
    );
    fs::remove_file(&test).expect("it was there");
    check(dir.path(), &["replay", "suite"], 2, &["test-0001.test"]);
}

#[test]
fn another_version_of_the_source() {
    let dir = suite();
    let source = dir.path().join("triangle.c");
    let text = fs::read_to_string(&source).expect("it is there");
    fs::write(&source, text.replace("a <= 0", "a < 0")).expect("writes");
    check(
        dir.path(),
        &["replay", "suite"],
        2,
        &["triangle.c", "another version"],
    );
}

#[test]
fn other_files_in_the_folder_stay() {
    let dir = suite();
    let own = dir.path().join("suite/notes.txt");
    fs::write(&own, "mine\n").expect("writes");
    let args = ["test", "triangle.c", "--out", "suite", "--quiet"];
    check(dir.path(), &args, 0, &[]);
    assert!(own.is_file());
    fs::create_dir(dir.path().join("web")).expect("made");
    fs::write(dir.path().join("web/manifest.json"), "{\"name\": \"app\"}").expect("writes");
    let args = ["test", "triangle.c", "--out", "web"];
    check(dir.path(), &args, 2, &["web", "no suite"]);
}

#[test]
fn suite_and_source_are_moved_together() {
    let dir = suite();
    let manifest =
        fs::read_to_string(dir.path().join("suite/manifest.json")).expect("there is one");
    assert!(
        manifest.contains("\"path\": \"../triangle.c\""),
        "{manifest}"
    );
    let moved = tempfile::tempdir().expect("a temporary folder");
    let place = moved.path().join("there");
    fs::rename(dir.path(), &place).expect("moved");
    let says = ["22 of 22 branches covered"];
    check(&place, &["replay", "suite"], 0, &says);
    // It is the moved source that counts.
    fs::write(place.join("triangle.c"), "int main(void) { return 0; }\n").expect("writes");
    check(&place, &["replay", "suite"], 2, &["another version"]);
}

#[test]
fn suite_and_source_are_moved_apart() {
    let dir = suite();
    let moved = tempfile::tempdir().expect("a temporary folder");
    let (here, there) = (moved.path().join("a/b/suite"), dir.path().join("old/deep"));
    fs::create_dir_all(here.parent().expect("a parent")).expect("made");
    fs::create_dir_all(&there).expect("made");
    fs::rename(dir.path().join("suite"), &here).expect("moved");
    fs::rename(dir.path().join("triangle.c"), there.join("triangle.c")).expect("moved");
    let here = here.to_str().expect("text");
    let says = ["22 of 22 branches covered", "is missing", "--source-dir"];
    check(dir.path(), &["replay", here], 0, &says);
    let found = run(dir.path(), &["replay", here, "--source-dir", "."]);
    assert!(!shown(&found).contains("is missing"), "{}", shown(&found));
    assert_eq!(found.status.code(), Some(0), "{}", shown(&found));
}

#[test]
fn unit_tests_are_moved_with_their_source() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = "int half(int x) { return x > 10 ? x / 2 : x; }\n";
    fs::create_dir(dir.path().join("src")).expect("made");
    fs::write(dir.path().join("src/half.c"), source).expect("writes");
    let made = "test src/half.c --function half --emit c-test --out suite --quiet";
    let made = run(dir.path(), &made.split(' ').collect::<Vec<_>>());
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    let moved = tempfile::tempdir().expect("a temporary folder");
    let place = moved.path().join("there");
    fs::rename(dir.path(), &place).expect("moved");
    let compile = std::process::Command::new("cc")
        .args(["-o", "t", "suite/c-test/test_half.c"])
        .current_dir(&place)
        .output()
        .expect("cc starts");
    assert!(compile.status.success(), "{}", shown(&compile));
    check(&place, &["replay", "suite"], 0, &[]);
}
