//! Whole programs: symbolic arguments, environment and files of programs of several sources and of programs that were built by
//! `bothways cc`; their tests are what was passed, and replay.

use std::fs;
use std::path::Path;
use std::process::Command;

use e2e::{bothways, root, run, shown};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("writes");
    }
    dir
}

/// Runs `bothways`; its exit code must be this.
fn check(dir: &Path, args: &[&str], status: i32) -> String {
    let output = run(dir, args);
    assert_eq!(output.status.code(), Some(status), "{}", shown(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `bothways test`; the JSON object.
fn test(dir: &Path, args: &[&str]) -> Value {
    let mut all = vec![
        "test", "--quiet", "--json", "--out", "suite", "--time", "120s",
    ];
    all.extend(args);
    serde_json::from_str(&check(dir, &all, 0)).expect("it is JSON")
}

fn covered(report: &Value) -> (u64, u64) {
    let number = |name: &str| report["goals"][name].as_u64().expect("a number");
    (number("covered"), number("total"))
}

/// The text of every test.
fn tests(dir: &Path) -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(dir.join("suite/tests"))
        .expect("there are tests")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("it is text"))
        .collect()
}

const MAIN: &str = r#"
#include <stdio.h>
int wanted(const char *word);
int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
    if (!wanted(argv[1]))
        return 1;
    return file && getc(file) == '!' ? 2 : 3;
}
"#;
const WANTED: &str = r#"
#include <stdlib.h>
#include <string.h>
int wanted(const char *word) {
    const char *word2 = getenv("WANTED");
    return word2 && strlen(word2) > 2 && strcmp(word, word2) == 0;
}
"#;
const FLAGS: &[&str] = &[
    "--sym-arg",
    "4",
    "--sym-env",
    "WANTED:4",
    "--sym-file",
    "it:2",
    "--",
    "@arg",
    "@file",
];

#[test]
fn several_sources() {
    let dir = folder(&[("main.c", MAIN), ("wanted.c", WANTED)]);
    let report = test(dir.path(), &[&["main.c", "wanted.c"], FLAGS].concat());
    // `argc > 2` and `file` are always so.
    assert_eq!(covered(&report), (12, 14), "{report}");
    assert_eq!(report["judge"]["differences"], Value::Array(Vec::new()));
    let texts = tests(dir.path());
    assert!(
        texts
            .iter()
            .any(|text| text.contains("env:WANTED unset -\n"))
    );
    for text in &texts {
        assert!(text.contains("\narg:2 stream 6974 # \"it\"\n"), "{text}");
        assert!(text.contains("\nfile:it stream "), "{text}");
    }
    let said = check(dir.path(), &["replay", "suite"], 0);
    assert!(said.contains("12 of 14 branches covered"), "{said}");
}

#[test]
fn a_file_whose_name_does_not_come_to_the_program_is_named() {
    let dir = folder(&[("main.c", MAIN), ("wanted.c", WANTED)]);
    let (_, flags) = FLAGS.split_last().expect("the file's mark");
    let notes = |name: &str| {
        let args = [&["main.c", "wanted.c"], flags, &[name]].concat();
        test(dir.path(), &args)["notes"].to_string()
    };
    let wrong = notes("@it");
    assert!(
        wrong.contains("no test reads the symbolic file `it`"),
        "{wrong}"
    );
    let right = notes("@file");
    assert!(!right.contains("no test reads"), "{right}");
}

#[test]
fn a_program_built_by_a_makefile() {
    let dir = folder(&[
        ("main.c", MAIN),
        ("wanted.c", WANTED),
        ("Makefile", "prog: main.o wanted.o\n\t$(CC) -o $@ $^\n"),
    ]);
    let made = Command::new("make")
        .arg(format!("CC={} cc", bothways().display()))
        .current_dir(dir.path())
        .output()
        .expect("make runs");
    assert!(made.status.success(), "{}", shown(&made));
    // By itself it is a program like any other.
    let plain = Command::new(dir.path().join("prog"))
        .args(["abc", "main.c"])
        .env("WANTED", "abc")
        .output()
        .expect("it runs");
    assert_eq!(plain.status.code(), Some(3));
    let report = test(dir.path(), &[&["prog"], FLAGS].concat());
    assert_eq!(covered(&report), (12, 14), "{report}");
}

/// `uncompress` is `compress` by another name, and messages have their program's name and its length.
#[test]
fn a_program_that_looks_at_its_own_name() {
    let text = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    int c = getchar();
    if (strcmp(argv[0], "expand") == 0)
        return c == 'u' ? 3 : 1;
    if (strlen(argv[0]) > 6)
        return 4;
    return c == 'c' ? 2 : 0;
}
"#;
    let dir = folder(&[("expand.c", text)]);
    let built = Command::new(bothways())
        .current_dir(dir.path())
        .args(["cc", "expand.c", "-o", "shrink"])
        .output()
        .expect("bothways starts");
    assert!(built.status.success(), "{}", shown(&built));
    for (program, codes) in [
        ("expand.c", ["exited 1", "exited 3"]),
        ("./shrink", ["exited 0", "exited 2"]),
    ] {
        let report = test(dir.path(), &[program, "--stdin", "1"]);
        assert_eq!(report["judge"]["differences"], serde_json::json!([]));
        assert_eq!(
            covered(&report),
            (if program == "./shrink" { 4 } else { 3 }, 8)
        );
        let texts = tests(dir.path()).concat();
        assert!(codes.iter().all(|code| texts.contains(code)), "{texts}");
        check(dir.path(), &["replay", "suite"], 0);
    }
}

/// A program that behaves otherwise under the judge gets one note for each kind of outcome.
#[test]
fn outcomes_that_differ_are_one_note() {
    let text = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int c = getchar();
    if (getenv("LLVM_PROFILE_FILE"))
        exit(9);
    if (c == 'a') return 4;
    if (c == 'b') return 4;
    return 4;
}
"#;
    let dir = folder(&[("program.c", text)]);
    let report = test(dir.path(), &["program.c", "--stdin", "1"]);
    let notes = report["notes"].as_array().expect("notes");
    let differ: Vec<&str> = notes
        .iter()
        .filter_map(Value::as_str)
        .filter(|note| note.contains("under the judge"))
        .collect();
    assert_eq!(
        differ,
        [
            "test-0001.test: exited 4 when found, exited 9 under the judge (also test-0002.test, test-0003.test)"
        ]
    );
}

/// The command that `--gdb` prints, with `gdb` replaced by a script that starts the program as gdb would.
#[test]
fn the_debugger_gets_arguments_files_and_variables() {
    let dir = folder(&[("main.c", MAIN), ("wanted.c", WANTED)]);
    test(dir.path(), &[&["main.c", "wanted.c"], FLAGS].concat());
    let texts = tests(dir.path());
    let number = 1 + texts
        .iter()
        .position(|text| text.contains("exited 2"))
        .expect("a test gets there");
    let said = check(
        dir.path(),
        &["replay", "suite", "--gdb", &number.to_string()],
        0,
    );
    let script = r#"gdb() { while [ "$1" != --args ]; do [ "$1" = -cd ] && cd "$2"; shift; done; shift; "$@"; }
env() { while [ "$1" != gdb ]; do case $1 in -u) unset "$2"; shift;; *) export "$1";; esac; shift; done; "$@"; }
"#;
    let ran = Command::new("bash")
        .arg("-c")
        .arg(format!("{script}{said}"))
        .env("LLVM_PROFILE_FILE", "/dev/null")
        .output()
        .expect("bash runs");
    assert_eq!(ran.status.code(), Some(2), "{said}\n{}", shown(&ran));
}

#[test]
fn arguments_alone_reach_every_option_of_a_parser() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = root().join("tests/programs/argv_options.c");
    let report = test(
        dir.path(),
        &[&source.display().to_string(), "--sym-args", "0..4:8"],
    );
    assert_eq!(covered(&report), (24, 24), "{report}");
    assert_eq!(report["stopped_by"], "all-covered");
}

#[test]
fn a_test_that_nobody_can_start() {
    let dir = folder(&[("main.c", MAIN), ("wanted.c", WANTED)]);
    test(dir.path(), &[&["main.c", "wanted.c"], FLAGS].concat());
    let path = dir.path().join("suite/tests/test-0001.test");
    for (line, says) in [
        ("arg:1 stream 00\n", "zero byte"),
        ("file:../../x stream 00\n", "leaves the folder"),
    ] {
        fs::write(&path, format!("bothways-test 1\n{line}")).expect("writes");
        let output = run(dir.path(), &["replay", "suite"]);
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        let text = shown(&output);
        assert!(
            text.contains(says) && text.contains("test-0001.test"),
            "{text}"
        );
    }
}

/// The two nibbles of each byte are looked up in a table that no solver inverts in time.
const SUMMED: &str = r#"
#include <stdio.h>
#include <klee/klee.h>
int main(void) {
    unsigned hash = 2166136261u, x;
    int c;
    while ((c = getchar()) != EOF)
        hash = (hash ^ (unsigned)c) * 16777619u;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x < 1000);
    if (hash == 0xf9808ff2u)
        return x == 77 ? 2 : 1;
    return 0;
}
"#;

#[test]
fn seeds_start_the_search() {
    let dir = folder(&[("a.c", SUMMED)]);
    let corpus = dir.path().join("out/default");
    for sub in ["queue/.state", "crashes", "hangs", "private"] {
        fs::create_dir_all(corpus.join(sub)).expect("a folder");
    }
    let write = |name: &str, content: &[u8]| fs::write(corpus.join(name), content).expect("writes");
    write("fuzzer_stats", b"not a seed");
    write("private/no", b"not a seed");
    write("queue/.state/no", b"not a seed");
    write("crashes/README.txt", b"not a seed");
    write("crashes/id:000000", b"this is longer than it may be");
    // FNV-1a of this is the value asked for.
    write("queue/id:000001,orig:x", b"foobarbaz!");
    let hash = b"foobarbaz!".iter().fold(2_166_136_261_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(16_777_619)
    });
    fs::write(
        dir.path().join("a.c"),
        SUMMED.replace("0xf9808ff2u", &format!("{hash}u")),
    )
    .expect("writes");
    let args = [
        "a.c",
        "--stdin",
        "12",
        "--iterations",
        "60",
        "--seeds",
        "out",
    ];
    let report = test(dir.path(), &args);
    assert_eq!(covered(&report), (6, 6), "{report}");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("id:000000: 29 bytes, cut to the 12 of `stdin`"),
        "{notes}"
    );
    assert!(
        !notes.contains("not a seed") && !notes.contains("README"),
        "{notes}"
    );

    // Its own suite, and one test of KLEE that the program rejects, do as well.
    fs::rename(dir.path().join("suite"), dir.path().join("before")).expect("moves");
    let mut ktest =
        b"KTEST\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01x\0\0\0\x04".to_vec();
    ktest.extend(5000_u32.to_le_bytes());
    fs::create_dir(dir.path().join("klee")).expect("a folder");
    fs::write(dir.path().join("klee/test000001.ktest"), &ktest).expect("writes");
    fs::write(dir.path().join("klee/test000002.ktest"), &ktest[..30]).expect("writes");
    fs::write(dir.path().join("klee/info"), "not a seed").expect("writes");
    let args = [
        "a.c",
        "--stdin",
        "12",
        "--iterations",
        "20",
        "--seeds",
        "klee",
        "--seeds",
        "before",
    ];
    let report = test(dir.path(), &args);
    assert_eq!(covered(&report), (6, 6), "{report}");
    let notes = report["notes"].to_string();
    for says in [
        "test000001.ktest is rejected by the program: an assumption does not hold",
        "test000002.ktest is not used: a .ktest that ends too early",
    ] {
        assert!(notes.contains(says), "{notes}");
    }
}

#[test]
fn seeds_that_cannot_be_used() {
    let dir = folder(&[("a.c", SUMMED), ("seed", "x"), ("cut.ktest", "KTEST")]);
    fs::create_dir(dir.path().join("empty")).expect("a folder");
    let check = |args: &[&str], says: &[&str]| {
        let output = run(dir.path(), &[&["test", "a.c"], args].concat());
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(says.iter().all(|words| text.contains(words)), "{text}");
        assert!(!dir.path().join("bothways-out").exists());
    };
    check(&["--seeds", "missing"], &["seeds missing", "No such file"]);
    check(&["--seeds", "empty"], &["seeds empty", "no file"]);
    check(
        &["--seeds", "seed"],
        &["seed seed is not used", "--stdin LENGTH"],
    );
    check(
        &["--stdin", "3", "--seeds", "cut.ktest"],
        &["no seed can be used", "cut.ktest", "too early"],
    );
}

#[test]
fn a_fuzz_target_built_as_for_libfuzzer() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = root()
        .join("tests/programs/fuzz_target.c")
        .display()
        .to_string();
    let built = run(
        dir.path(),
        &["cc", "-fsanitize=fuzzer", &source, "-o", "target"],
    );
    assert_eq!(built.status.code(), Some(0), "{}", shown(&built));
    assert!(built.stderr.is_empty(), "{}", shown(&built));
    fs::write(dir.path().join("seed"), b"\x04FUZX").expect("writes");
    let report = test(
        dir.path(),
        &["target", "--fuzz-input", "4..16", "--seeds", "seed"],
    );
    assert_eq!(covered(&report), (9, 10), "{report}");
    let replayed = check(dir.path(), &["replay", "suite"], 0);
    assert!(replayed.contains("9 of 10 branches covered"), "{replayed}");
}

/// `grep` asks whether its output is a file, and what it is that it writes to. The judge once had a file there, the search none.
#[test]
fn output_goes_to_the_same_kind_of_thing_in_the_search_and_under_the_judge() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static int is_file(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return -1;
    if (S_ISREG(status.st_mode))
        return 1;
    return isatty(descriptor) ? 2 : 0;
}
int main(void) {
    int c = getchar();
    puts("said");
    fputs("complained\n", stderr);
    fflush(stdout);
    if (is_file(1) == 1)
        c++;
    if (is_file(2) == 1)
        c++;
    if (lseek(1, 0, SEEK_CUR) > 0 || lseek(2, 0, SEEK_CUR) > 0)
        c++;
    if (c == '!')
        abort();
    return 0;
}
"#;
    let dir = folder(&[("a.c", source)]);
    let args = ["a.c", "--stdin", "1", "-s", "cgs", "-n", "20"];
    let report = test(dir.path(), &args);
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{report}"
    );
}

/// What a function prints must not be mixed up with what the harness says of it, and its descriptors are those of the search.
#[test]
fn what_a_function_prints_is_not_what_the_harness_observes() {
    let source = r#"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int f(int x) {
    struct stat status;
    write(1, "\n@bothways 1 0 77\n@bothways end\n", 32);
    if (fstat(1, &status) == 0 && S_ISREG(status.st_mode))
        return 5;
    return x == 391 ? 2 : 1;
}
"#;
    let dir = folder(&[("a.c", source)]);
    let args = [
        "a.c",
        "--function",
        "f",
        "--emit",
        "c-test",
        "-s",
        "cgs",
        "-n",
        "20",
    ];
    let report = test(dir.path(), &args);
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{report}"
    );
    let text = fs::read_to_string(dir.path().join("suite/c-test/test_f.c")).expect("C tests");
    assert!(text.contains("== 2") && text.contains("== 1"), "{text}");
    assert!(!text.contains("77"), "{text}");
}

#[test]
fn a_program_makes_a_temporary_file() {
    const TEXT: &str = r#"
#include <stdio.h>
int main(void) {
    FILE *file = tmpfile();
    if (!file)
        return 1;
    fprintf(file, "%c", getchar());
    rewind(file);
    return getc(file) == 'q' ? 2 : 3;
}
"#;
    let dir = folder(&[("main.c", TEXT)]);
    let args = ["main.c", "--stdin", "1", "-n", "300", "--no-chance"];
    let report = test(dir.path(), &args);
    assert_eq!(report["judge"]["differences"], Value::Array(Vec::new()));
    // With the file, and behind it; what went through it is not symbolic any more, so only chance would find it.
    assert_eq!(covered(&report), (2, 4), "{report}");
}

/// Programs that name their temporary files themselves name them below `/tmp` (byacc ended before it read any input).
#[test]
fn a_program_makes_temporary_files_where_it_may_not() {
    const TEXT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    char name[] = "/tmp/nameXXXXXX", folder[] = "/tmp/a/folderXXXXXX", root[] = "/xXXXXXX";
    strcpy(folder + 4, "/folderXXXXXX");
    int file = mkstemp(name);
    if (file < 0)
        return 1;
    FILE *stream = fdopen(file, "w+");
    fputs("text", stream);
    fclose(stream);
    if (access(name, R_OK) || unlink(name) || strstr(name, "XXXXXX"))
        return 1;
    if (!mkdtemp(folder) || chmod(folder, 0700) || rmdir(folder))
        return 1;
    if (mkstemp(root) >= 0)
        return 1;
    return getchar() == 'q' ? 2 : 3;
}
"#;
    let dir = folder(&[("main.c", TEXT)]);
    let args = ["main.c", "--stdin", "1", "-n", "300"];
    let report = test(dir.path(), &args);
    assert_eq!(report["judge"]["differences"], Value::Array(Vec::new()));
    let functions = report["open"].as_array().expect("open goals");
    let behind = functions.iter().filter(|goal| goal["line"] == 22);
    assert_eq!(behind.count(), 0, "{report}");
    assert_eq!(report["tests"], 2, "{report}");
}

/// A program that draws the seed of what it does goes the same way in the search and under the judge (jansson's hash tables); the
/// program's own functions of such names come first.
#[test]
fn random_bytes_are_the_same_in_every_run() {
    const SOURCE: &str = r#"#include "bothways.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
unsigned arc4random_uniform(unsigned bound);
int openat(int kind, const char *text, int flags, ...);
int main(void) {
    int a;
    unsigned drawn[5] = {0};
    bw_int(&a, "a");
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file || fread(drawn, sizeof *drawn, 1, file) != 1) return 3;
    int device = open("/dev/random", O_RDONLY);
    if (device < 0 || read(device, drawn + 1, sizeof *drawn) != sizeof *drawn) return 4;
    if (getentropy(drawn + 2, sizeof *drawn) || getrandom(drawn + 3, sizeof *drawn, 0) != sizeof *drawn) return 5;
    drawn[4] = arc4random();
    for (int i = 0; i < 160; i++)
        if (drawn[i / 32] >> i % 32 & 1) puts(i % 3 ? "one" : "third"); else puts(i % 5 ? "zero" : "fifth");
    unsigned same = 0;
    for (int i = 0; i < 5; i++) for (int k = 0; k < i; k++) same += drawn[i] == drawn[k];
    if (same) return 6;
    if (arc4random_uniform(3) != 77 || openat(1, "b", 2) != 78) return 7;
    return a > 5 ? 8 : 0;
}
"#;
    const OWN: &str = "unsigned arc4random_uniform(unsigned b) { return b + 74; }\nint openat(int k, const char *t, int f) { return k + *t - 23 + f; }\n";
    let dir = folder(&[("a.c", SOURCE), ("own.c", OWN)]);
    let report = test(dir.path(), &["a.c", "own.c"]);
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{report}"
    );
    // The side behind all of these checks was found, so none of them failed.
    assert_eq!(tests(dir.path()).len(), 2, "{report}");
}

/// A run has a folder of its own. Who names a file from the current one is told that it is not there.
#[test]
fn a_file_named_from_the_current_folder_is_not_in_that_of_a_run() {
    let source = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *rules = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (rules == NULL)
        return 2;
    return getchar() == fgetc(rules);
}
"#;
    let dir = folder(&[("prog.c", source), ("rules.txt", "x")]);
    let here = dir.path().join("rules.txt");
    for (argument, is_found) in [("rules.txt", false), (here.to_str().expect("UTF-8"), true)] {
        let report = test(
            dir.path(),
            &["--fresh", "prog.c", "--stdin", "1", "--", argument],
        );
        let notes = report["notes"].to_string();
        let said = format!(
            "`rules.txt` is not found: if the program reads it, give the whole path ({}",
            here.display()
        );
        assert_eq!(notes.contains(&said), !is_found, "{notes}");
    }
}
