//! Tests of functions as C: they compile by their own command, pass, say what they check, and leave out what would fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::{json, run, shown};

/// The command at the top of a file of tests makes a program that passes: with other sources, `main` among them, and for
/// `main` itself; with streams; where the unit's `calloc` is another function; with pointers to functions whose types differ in
/// qualifiers; and gcc wants `gnu_inline` on all declarations or on none.
#[test]
fn c_tests_compile_as_they_say() {
    let sources = [
        (
            "a.c",
            "int twice(int n) { return 2 * n; }\nint main(void) { return 0; }\n",
        ),
        (
            "b.c",
            "int twice(int);\nint odd(int n) { if (twice(n) == 84) return 1; return 0; }\n",
        ),
        (
            "c.c",
            "int main(int n, char **words) { if (n == 7) return 1; return words != 0; }\n",
        ),
        (
            "e.c",
            "struct job { int n; void (*first)(struct job *); void (*then)(const struct job *); };
static void done(const struct job *job) { (void)job; }
int work(struct job *job) { if (job->n == 7 && job->then == done) return 1; if (job->n == 8 && job->first) return 2; return 0; }\n",
        ),
        (
            "f.c",
            "#include <stdio.h>\nint marked(FILE *file) { return file && getc(file) == '!' ? 1 : 0; }\n",
        ),
        (
            "d.c",
            "extern inline int seven(int n) { if (n == 7) return 1; return 0; }\n",
        ),
        (
            "g.c",
            "#include <stdlib.h>\nvoid *own(size_t, size_t);\n#define calloc own
int make(int n) { char *text = calloc(n, 2); if (!text) return -1; return n == 7; }\n",
        ),
    ];
    let cases: &[(&[&str], &str)] = &[
        (&["a.c", "b.c"], "odd"),
        (&["c.c"], "main"),
        (&["d.c"], "seven"),
        (&["e.c"], "work"),
        (&["f.c"], "marked"),
        (&["g.c"], "make"),
    ];
    for &(inputs, function) in cases {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in sources {
            fs::write(dir.path().join(name), text).expect("a file");
        }
        let options = [
            "--function",
            function,
            "--emit",
            "c-test",
            "-n",
            "50",
            "-q",
            "--json",
        ];
        let output = run(dir.path(), &[&["test"], inputs, &options].concat());
        let notes = json(&output)["notes"].to_string();
        assert!(!notes.contains("tests are left out"), "{}", shown(&output));
        let folder = dir.path().join("bothways-out/c-test");
        let text = fs::read_to_string(folder.join(format!("test_{function}.c"))).expect("tests");
        let name = format!("static void test_{function}_");
        assert!(text.contains(&name), "{text}");
        let command = text.split(" * Compile: cc ").nth(1).expect("a command");
        let command = command.lines().next().expect("a line");
        for compiler in ["clang-19", "gcc"] {
            let line =
                format!("{compiler} -Wall -Werror -Wno-main -Wno-return-type {command} && ./a.out");
            let made = Command::new("sh")
                .args(["-c", &line])
                .current_dir(&folder)
                .output();
            let made = made.expect("a shell");
            assert!(made.status.success(), "{line}\n{}\n{text}", shown(&made));
        }
    }
}

/// What a shell says to a line that must not fail.
fn shell(folder: &Path, line: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-ec", line]).current_dir(folder);
    let done = command.output().expect("a shell");
    assert!(done.status.success(), "{line}: {}", shown(&done));
    String::from_utf8(done.stdout).expect("text")
}

/// Writes C tests of a function under MC/DC. Their folder, and what clang counts in the file of the function when they run.
fn counted_by_clang(dir: &Path, function: &str, text: &str) -> (PathBuf, serde_json::Value) {
    fs::write(dir.join("unit.c"), text).expect("a file");
    let options = "--criterion mcdc --emit c-test -n 60 -q".split(' ');
    let mut words = vec!["test", "unit.c", "--function", function];
    words.extend(options);
    let output = run(dir, &words);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.join("bothways-out/c-test");
    let counted = shell(
        &folder,
        &format!(
            "clang-19 -Wall -Wextra -Werror -pedantic -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc test_{function}.c
             ./a.out; llvm-profdata-19 merge -o profile default.profraw
             llvm-cov-19 export -summary-only a.out -instr-profile profile"
        ),
    );
    let counted: serde_json::Value = serde_json::from_str(&counted).expect("JSON");
    let files = counted["data"][0]["files"].as_array().expect("files");
    let unit = files.iter().find(|file| {
        let name = file["filename"].as_str().expect("a name");
        name.ends_with("/unit.c")
    });
    let summary = unit.unwrap_or_else(|| panic!("{counted}"))["summary"].clone();
    (folder, summary)
}

/// Who compiles the tests with clang's coverage sees the function that they test, with its conditions; gcov sees it as well. Warnings of the
/// unit are not those of the tests.
#[test]
fn coverage_of_c_tests_counts_the_function() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "int gate(int a, int b, int c) { int unused; if ((a > 3 && b < 4) || c == 77) return 1; return 0; }\n";
    let (folder, summary) = counted_by_clang(dir.path(), "gate", text);
    for (what, count) in [("branches", 6), ("mcdc", 3)] {
        assert_eq!(summary[what]["count"], count, "{summary}");
        assert_eq!(summary[what]["covered"], count, "{summary}");
    }
    let counted = shell(
        &folder,
        "gcc -Wall -Wextra -Werror -O0 --coverage test_gate.c; ./a.out; gcov -t *.gcda",
    );
    assert!(counted.contains("gate(int a, int b, int c)"), "{counted}");
}

/// Each run of a search starts with variables within functions as they are at the start of a program, and so does each test where clang
/// compiles it. Sanitizers find nothing in how that is done, and no leak.
#[test]
fn variables_within_functions_start_anew_in_each_c_test() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <stdlib.h>
int note(int n) {
    static int last = 100;
    static char *kept;
    int less = 0;
    if (!kept) kept = malloc(16);
    if (n <= last && n > 3) less = 1;
    last = 0;
    return n + 0 * less;
}\n";
    let (folder, summary) = counted_by_clang(dir.path(), "note", text);
    assert_eq!(summary["mcdc"]["covered"], 2, "{summary}");
    assert_eq!(summary["branches"]["covered"], 5, "{summary}");
    shell(
        &folder,
        "clang-19 -Wall -Wextra -Werror -fsanitize=address,undefined test_note.c; ./a.out
         gcc -Wall -Wextra -Werror -O2 test_note.c; ./a.out",
    );
}

/// Tests set only what matters, to the least that shows the same; what several build, one function builds; what the code allocated
/// is freed, what it has freed is not.
#[test]
fn c_tests_are_as_small_as_they_can_be() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "#include <stdlib.h>\n#include <string.h>
struct options { int mode, level; char *name; struct options *next; char pad[16]; };
static struct options *kept;
char *title(struct options *options, const char *text, int size)
{
    if (!options) return 0;
    if (options->level > 1000) return strdup(\"high\");
    if (options->name && options->name[0] == '-' && options->name[1] == 'x') {
        if (size == -77) { free(options->name); options->name = 0; return 0; }
        if (size > 5) return options->name;
        return strdup(text);
    }
    if (size == -2147483647 - 1) { kept = calloc(1, sizeof *kept); return kept->pad; }
    return 0;
}
";
    fs::write(dir.path().join("unit.c"), source).expect("a file");
    let args = [
        "test",
        "unit.c",
        "--function",
        "title",
        "--emit",
        "c-test",
        "-n",
        "400",
        "-q",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.path().join("bothways-out/c-test");
    let tests = fs::read_to_string(folder.join("test_title.c")).expect("tests");
    let bodies: Vec<&str> = tests.split("\n/* covers ").skip(1).collect();
    let body = |word: &str| {
        let found = bodies.iter().find(|body| body.contains(word));
        found.copied().unwrap_or_else(|| panic!("{word}: {tests}"))
    };
    let high = body("options->level = 1001;");
    assert!(
        high.contains("free((void *)(result));") && high.contains("*text = NULL;"),
        "{high}"
    );
    assert!(!high.contains("mode") && !high.contains("name ="), "{high}");
    assert!(
        body("int size = -77;").contains("bw_given(options_name);"),
        "{tests}"
    );
    body("int size = INT_MIN;");
    body("int size = 6;");
    assert!(
        tests.contains("char *options_name = bw_text(\"-x\", "),
        "{tests}"
    );
    assert!(
        tests.contains("static struct options *bw_make_options(void)\n{"),
        "{tests}"
    );
    // Nothing leaks: not what tests built, nor what the code keeps in its own variables.
    let checked = "clang-19 -Wall -Wextra -Werror test_title.c -o t && ./t && gcc -Wall -Werror test_title.c -o t && ./t \
                   && clang-19 -g -fsanitize=address test_title.c -o t && ASAN_OPTIONS=detect_leaks=1 ./t";
    let made = Command::new("sh")
        .args(["-c", checked])
        .current_dir(&folder)
        .output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{}\n{tests}", shown(&made));
    // The suite has the same tests.
    let replayed = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", shown(&replayed));
}

/// The trial of C tests is a run like others: what an input makes the function remove is not the user's.
#[test]
fn c_tests_are_tried_where_they_can_remove_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let precious = dir.path().join("precious");
    fs::write(&precious, "kept\n").expect("a file");
    let text = format!(
        "#include <unistd.h>\nint drop(int n) {{ if (n == 7) return unlink(\"{}\"); return 1; }}\n",
        precious.display()
    );
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    let options = [
        "--function",
        "drop",
        "--emit",
        "c-test",
        "-n",
        "20",
        "-q",
        "--json",
    ];
    let output = run(
        dir.path(),
        &[&["test", "unit.c"], options.as_slice()].concat(),
    );
    assert_eq!(json(&output)["goals"]["covered"], 2, "{}", shown(&output));
    assert!(precious.is_file());
}

/// The trial frees nothing that a test made: what spoils the heap shows only in the file as it is written.
#[test]
fn c_tests_that_spoil_the_heap_are_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "int mark(char *text, int at) {
        if (at == 3 && text) { ((unsigned long *)text)[-1] = 1; return 1; }
        return 0;
    }\n";
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    let args = [
        "test",
        "unit.c",
        "--function",
        "mark",
        "--emit",
        "c-test",
        "-n",
        "20",
        "-q",
    ];
    let output = run(dir.path(), &args);
    let tests = dir.path().join("bothways-out/c-test/test_mark.c");
    let text = fs::read_to_string(tests).expect("tests");
    let left_out = "it fails as it is written: signal";
    assert_eq!(
        text.matches(left_out).count(),
        1,
        "{}\n{text}",
        shown(&output)
    );
    assert!(text.contains("static void test_mark_"), "{text}");
}

/// What a function makes of the clock is right on the day of the search alone. Who only measures how long it takes gets tests.
#[test]
fn c_tests_that_fail_at_another_time_are_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <time.h>
    int day(int shift) {
        int today = (int)(time(NULL) / 86400);
        if (shift > 5) return today + 1;
        return today;
    }
    int fast(int count) {
        time_t begun = time(NULL);
        if (count > 5) return 2;
        return time(NULL) - begun < 1000;
    }\n";
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    for (function, left_out) in [("day", 2), ("fast", 0)] {
        let args = [
            "test", "unit.c", "--emit", "c-test", "-n", "20", "-q", "--fresh",
        ];
        let output = run(dir.path(), &[&args[..], &["--function", function]].concat());
        let tests = format!("bothways-out/c-test/test_{function}.c");
        let text = fs::read_to_string(dir.path().join(tests)).expect("tests");
        let said = text.matches("it fails at another time: result == ").count();
        assert_eq!(said, left_out, "{}\n{text}", shown(&output));
        let written = text
            .matches(&format!("static void test_{function}_"))
            .count();
        assert_eq!(written, 2 - left_out, "{text}");
    }
}

/// In the search each run has a folder of its own, the tests of a file have one together: the second test does not end. The first stays.
#[test]
fn a_c_test_that_does_not_end_takes_no_time_from_the_others() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <fcntl.h>
    #include <unistd.h>
    int once(int count) {
        if (access(\"mark\", F_OK) == 0) for (;;) count++;
        close(creat(\"mark\", 0600));
        if (count > 5) return 2;
        return 1;
    }\n";
    fs::write(dir.path().join("unit.c"), text).expect("a file");
    let args = "test unit.c --function once --emit c-test -n 20 -q --judge-time 15s";
    let output = run(dir.path(), &args.split(' ').collect::<Vec<_>>());
    let tests = dir.path().join("bothways-out/c-test/test_once.c");
    let text = fs::read_to_string(tests).expect("tests");
    let left_out = "it does not end in time when it is run again";
    assert_eq!(
        text.matches(left_out).count(),
        1,
        "{}\n{text}",
        shown(&output)
    );
    assert_eq!(text.matches("static void test_once_").count(), 1, "{text}");
}

/// A function of many types, with a null pointer among its tests.
const TYPES: &str = r#"
enum colour { RED, GREEN = 4 };
struct out { int i; char c; unsigned short flags; unsigned long n; double d; float f; _Bool b; enum colour e; unsigned char raw[3]; int *p; };
const char *fill(struct out *out, int n, char *text)
{
    if (!out || !text) return 0;
    if (n == 7) {
        out->i = -3; out->c = 'x'; out->flags = 0x8001; out->n = 5000000000UL; out->d = 0.1; out->f = 2.5f;
        out->b = 1; out->e = GREEN; out->raw[1] = 200; out->p = 0; text[0] = 'h'; text[1] = 'i'; text[2] = 0;
        return "done";
    }
    return text + 1;
}
"#;

/// A line with another expectation, if it is an assertion.
fn mutated(line: &str) -> Option<String> {
    let indented = line.strip_prefix("    ")?;
    let is_check = ["TEST_ASSERT", "assert", "EXPECT_"];
    if !is_check.iter().any(|word| indented.starts_with(word)) {
        return None;
    }
    for (from, to) in [
        ("NOT_NULL(", "NULL("),
        ("ASSERT_NULL(", "ASSERT_NOT_NULL("),
        ("non_null(", "null("),
        ("assert_null(", "assert_non_null("),
        ("EXPECT_NE(", "EXPECT_EQ("),
        ("_TRUE(", "_FALSE("),
        ("assert_true(", "assert_false("),
        (" != ", " == "),
        (", NULL);", ", \"no\");"),
        (" == ", " != "),
        ("\"", "\"~"),
    ] {
        if indented.contains(from) {
            return Some(line.replacen(from, to, 1));
        }
    }
    if !indented.contains(", ") {
        return Some(line.replacen("assert(", "assert(!", 1));
    }
    let (at, end) = match indented.starts_with("TEST_ASSERT") {
        true => (line.find('(')? + 1, line.find(", ")?),
        false => {
            let from = line.find(", ")? + 2;
            (from, from + line[from..].find([',', ')'])?)
        }
    };
    Some(format!(
        "{}({}) + 1{}",
        &line[..at],
        &line[at..end],
        &line[end..]
    ))
}

/// Each test passes in its framework (Debian's cmocka and GoogleTest; a stand-in for Unity) without a warning, in assertions
/// by type, and fails when what an assertion expects is changed.
#[test]
fn c_tests_for_every_framework() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("unit.c"), TYPES).expect("a file");
    let mut args = vec!["test", "unit.c", "--function", "fill", "-n", "40", "-q"];
    let flavours = ["assert", "unity", "cmocka", "gtest"];
    let emitted = flavours.map(|flavour| format!("c-test={flavour}"));
    args.extend(emitted.iter().flat_map(|word| ["--emit", word]));
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    for (flavour, forms) in [
        ("assert", &["assert(strcmp("][..]),
        (
            "unity",
            &[
                "TEST_ASSERT_EQUAL_INT(-3, out->i);",
                "TEST_ASSERT_EQUAL_INT8('x', out->c);",
                "TEST_ASSERT_EQUAL_HEX16(0x8001U, out->flags);",
                "TEST_ASSERT_EQUAL_UINT64(5000000000L, out->n);",
                "TEST_ASSERT_EQUAL_DOUBLE(0.1, out->d);",
                "TEST_ASSERT_EQUAL_FLOAT(2.5f, out->f);",
                "TEST_ASSERT_TRUE(out->b);",
                "TEST_ASSERT_EQUAL_UINT(GREEN, out->e);",
                "TEST_ASSERT_EQUAL_STRING(\"hi\", text);",
                "TEST_ASSERT_EQUAL_STRING(\"done\", result);",
                "TEST_ASSERT_EQUAL_PTR(text + 1, result);",
                "TEST_ASSERT_NULL(result);",
            ],
        ),
        (
            "cmocka",
            &[
                "assert_int_equal(out->i, -3);",
                "assert_float_equal(out->f, 2.5f, 0.0f);",
                "assert_true(out->b);",
                "assert_string_equal(result, \"done\");",
                "assert_ptr_equal(result, text + 1);",
                "assert_null(result);",
            ],
        ),
        (
            "gtest",
            &[
                "EXPECT_EQ(out->i, -3);",
                "EXPECT_EQ(out->flags, 0x8001U);",
                "EXPECT_DOUBLE_EQ(out->d, 0.1);",
                "EXPECT_FLOAT_EQ(out->f, 2.5f);",
                "EXPECT_STREQ(result, \"done\");",
                "EXPECT_EQ(result, text + 1);",
                "EXPECT_EQ(result, NULL);",
            ],
        ),
    ] {
        let folder = dir.path().join("bothways-out/c-test").join(flavour);
        let text = fs::read_to_string(folder.join("test_fill.c")).expect("tests");
        for form in forms {
            assert!(text.contains(form), "{flavour}: {form}\n{text}");
        }
        // Files are named as seen from where the command was typed.
        assert!(text.contains("/* covers unit.c:"), "{flavour}: {text}");
        is_built(flavour, &folder);
        every_assertion_decides(flavour, &folder, &text);
    }
}

/// The Makefile and the CMakeLists.txt beside the tests build and run them.
fn is_built(flavour: &str, folder: &Path) {
    let unity = e2e::root().join("tests/frameworks");
    let stand_in = folder.join("unity/src");
    if flavour == "unity" {
        // In the folder that the files look into if nothing is said.
        fs::create_dir_all(&stand_in).expect("made");
        fs::copy(unity.join("unity.h"), stand_in.join("unity.h")).expect("copied");
        fs::write(stand_in.join("unity.c"), "").expect("written");
    }
    let script = |script: &str| {
        let made = Command::new("sh")
            .args(["-ec", script])
            .current_dir(folder)
            .output();
        let made = made.expect("a shell");
        assert!(
            made.status.success(),
            "{flavour}: {script}\n{}",
            shown(&made)
        );
    };
    script("make check && make clean && ! test -e test_fill");
    let cmake = Command::new("cmake").arg("--version").output();
    match cmake {
        Ok(_) => script("cmake -S . -B build && cmake --build build && cd build && ctest"),
        Err(_) => eprintln!("not run: there is no cmake"),
    }
}

fn every_assertion_decides(flavour: &str, folder: &Path, text: &str) {
    let stand_in = format!("-I{}", e2e::root().join("tests/frameworks").display());
    let link: &[&str] = match flavour {
        "cmocka" => &["-lcmocka"],
        "gtest" => &[
            "bridge.o",
            "-lgtest",
            "-lgtest_main",
            "-lpthread",
            "-lstdc++",
            "-lm",
        ],
        _ => &[],
    };
    let shell = |words: &[&str]| {
        let output = Command::new(words[0])
            .args(&words[1..])
            .current_dir(folder)
            .output();
        output.expect("it runs")
    };
    if flavour == "gtest" {
        let made = shell(&[
            "g++",
            "-Wall",
            "-Werror",
            "-c",
            "test_fill.cpp",
            "-o",
            "bridge.o",
        ]);
        assert!(made.status.success(), "{}", shown(&made));
    }
    let passes = |text: &str, warnings: &[&str]| {
        fs::write(folder.join("tried.c"), text).expect("a file");
        let front = [
            "clang-19",
            "-DUNITY_INCLUDE_DOUBLE",
            &stand_in,
            "tried.c",
            "-o",
            "tried",
        ];
        let made = shell(&[&front[..], warnings, link].concat());
        assert!(made.status.success(), "{flavour}: {}\n{text}", shown(&made));
        shell(&["./tried"]).status.success()
    };
    assert!(
        passes(text, &["-Wall", "-Wextra", "-Werror"]),
        "{flavour}\n{text}"
    );
    let mut assertions = 0;
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(wrong) = mutated(line) else { continue };
        let mut changed = lines.clone();
        changed[at] = &wrong;
        assert!(
            !passes(&changed.join("\n"), &["-w"]),
            "{flavour}: {line}\n{wrong}"
        );
        assertions += 1;
    }
    assert!(assertions >= 12, "{flavour}: {assertions}\n{text}");
}
