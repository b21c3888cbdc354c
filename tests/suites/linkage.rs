//! How functions and variables beside the function under test are linked, and what emitted tests promise: named after what
//! went wrong.

use std::fs;
use std::process::Command;

use e2e::{run, shown};

/// Tests `f` of this unit and emits C tests with these further arguments: the report and the text of the tests. The tests
/// pass with clang and with gcc, by the command that they name.
fn tested(unit: &str, more: &[&str]) -> (serde_json::Value, String) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("unit.c"), unit).expect("a file");
    let mut args = vec!["test", "unit.c", "--function", "f", "--iterations", "30"];
    args.extend(["--emit", "c-test", "--json", "-q"]);
    args.extend(more);
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{unit}\n{}", shown(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{unit}"
    );
    let folder = dir.path().join("bothways-out/c-test");
    let text = fs::read_to_string(folder.join("test_f.c")).expect("tests");
    let line = text
        .lines()
        .find_map(|line| line.split_once("Compile: cc "));
    let (_, line) = line.expect("a command");
    for compiler in ["clang-19", "gcc"] {
        let script = format!("{compiler} -w {line} && ./a.out");
        let passed = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder)
            .output()
            .expect("a shell");
        assert!(
            passed.status.success(),
            "{script}\n{}\n{text}",
            shown(&passed)
        );
    }
    (report, text)
}

/// Every branch of `f` is covered.
fn covered(unit: &str) {
    let (report, text) = tested(unit, &[]);
    assert_eq!(
        report["goals"]["covered"], report["goals"]["total"],
        "{unit}\n{report}"
    );
    assert!(text.contains("assert("), "{text}");
}

#[test]
fn hidden_functions_and_variables_that_nothing_defines_are_stubbed() {
    covered(
        "extern __attribute__((visibility(\"hidden\"))) int helper(int);
extern __attribute__((visibility(\"protected\"))) int other(int);
extern __attribute__((visibility(\"hidden\"))) int level;
extern int named(int) __asm__(\"named$label\");
extern _Thread_local int per_thread;
extern __thread int per_thread_hidden __attribute__((visibility(\"hidden\")));
struct secret;
extern struct secret hidden_object;
struct secret *hidden_address;
int f(int a) {
  if (helper(a) == 5 && other(a) == 6) return 1;
  if (level == 7 && named(a) == 8) return 2;
  if (per_thread == 9 && per_thread_hidden == 10) return 3;
  if (a == 12) hidden_address = &hidden_object;
  return 0;
}
",
    );
}

#[test]
fn what_only_a_function_declares_is_stubbed_by_its_type() {
    covered(
        "int f(int a) {
  extern char folder[];
  extern int limit;
  extern _Thread_local short per_thread;
  long helper(int);
  if (folder[0] == 'x' && limit == 7) return 1;
  if (per_thread == 9 && helper(a) == 5000000000) return 2;
  return 0;
}
",
    );
}

#[test]
fn inline_functions_are_what_their_definition_says() {
    covered(
        "inline int standard(int a) { return a > 2; }
extern inline __attribute__((gnu_inline)) int gnu(int a) { return a > 3; }
inline int second(int a) { return standard(a) + 1; }
static int (*pointer)(int) = second;
int f(int a) {
  if (standard(a) && gnu(a)) return 1;
  if (second(a) == 2) return 2;
  return pointer(a);
}
",
    );
}

#[test]
fn the_function_under_test_may_be_inline() {
    for words in [
        "inline",
        "extern inline",
        "extern inline __attribute__((gnu_inline))",
        "static inline __attribute__((always_inline))",
    ] {
        covered(&format!(
            "{words} int f(int a) {{ if (a == 77) return 1; return 0; }}\n"
        ));
    }
}

/// A definition after a `static` declaration need not say `static` again.
#[test]
fn a_function_that_only_its_declaration_calls_static_is_found() {
    covered(
        "inline int helper(int a) { return a > 2; }\nstatic int f(int a);\nint f(int a) { return helper(a) ? 1 : 0; }\n",
    );
}

/// Linkers show such a name as `operator>=(unsigned short, char)`.
#[test]
fn a_name_that_linkers_demangle_gets_a_stub() {
    covered(
        "extern int _Zgetc(void *);\nint f(void *p) { if (_Zgetc(p) == 77) return 1; return 0; }\n",
    );
}

/// The optimiser takes what is constant for what never changes, written or not.
#[test]
fn constants_that_nothing_defines_are_inputs_in_both_builds() {
    covered(
        "struct item { const struct item *next; };
extern const struct item head;
extern const int table[], level;
extern const char *const names[];
extern const __thread int per_thread;
int f(const char *p) {
  if (p && *p > 5) return 1;
  if (head.next) return 2;
  if (table[2] == 7 && level == 8) return 3;
  if (per_thread == 9) return 4;
  if (names[0] && names[0][0] == 'x') return 5;
  return 0;
}
",
    );
}

/// The compiler calls functions of `libatomic` that no source declares.
#[test]
fn atomic_objects_that_the_processor_has_no_instruction_for() {
    covered(
        "struct wide { int a[6]; };
struct wide seen;
extern int (*callback)(int);
int f(_Atomic __int128 *p, _Atomic struct wide *w) {
  if (!p || !w) return 0;
  if (p[1] > 4) return 1;
  p[0] = 7;
  seen = *w;
  if (seen.a[2] == 9) return 2;
  if (callback && callback(1) == 5) return 3;
  return 4;
}
",
    );
}

/// The stub for one type of function is planned while that for another one is.
#[test]
fn a_callback_may_return_other_callbacks() {
    covered(
        "struct pair { int (*number)(void); struct pair (*again)(int); };
int f(struct pair make(int)) {
  struct pair pair = make(1);
  if (pair.number && pair.number() == 3) return 1;
  if (pair.again && pair.again(2).number == pair.number) return 2;
  return 0;
}
",
    );
}

#[test]
fn what_is_constant_is_built_all_the_same() {
    covered(
        "struct item { const struct item *const next; const int number; unsigned bits : 3; };
typedef const int row[2];
struct outer { const struct item inner; const struct item *list; row numbers; };
int f(const struct outer *const o, const row *r) {
  if (!o || !r) return 0;
  if (o->inner.bits == 5) return 1;
  if (o->list && o->list->next && o->list->next->number == 4) return 2;
  if (o->numbers[1] == 9) return 3;
  if ((*r)[1] == 8) return 4;
  return 5;
}
",
    );
}

/// What the function keeps between calls makes a test fail that passed alone.
#[test]
fn emitted_tests_that_fail_are_left_out_and_said() {
    let (report, text) = tested(
        "int f(int a) { static int calls; if (a == 1) return calls++; if (a == 2) return calls++; return calls++; }\n",
        &[],
    );
    assert!(text.contains("Left out: test"), "{text}");
    assert!(
        report["notes"].to_string().contains("are left out: test"),
        "{report}"
    );
}

#[test]
fn tests_without_a_check_are_said_to_be_so() {
    let (report, text) = tested("void f(int a) { if (a == 1) return; }\n", &[]);
    assert!(text.contains("No test checks anything"), "{text}");
    assert!(
        report["notes"].to_string().contains("check nothing"),
        "{report}"
    );
}

#[test]
fn the_command_of_emitted_tests_is_quoted() {
    let (_, text) = tested(
        "int f(int a) { return a == sizeof TEXT; }\n",
        &["--cflags", "-DTEXT='\"a b\"'"],
    );
    assert!(
        text.contains("Compile: cc '-DTEXT=\"a b\"' test_f.c -lm"),
        "{text}"
    );
}

#[test]
fn a_version_script_may_name_what_is_not_there() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("a file");
    write(
        "a.c",
        "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n",
    );
    write("names.map", "V { global: main; nowhere; local: *; };\n");
    let script = "-Wl,--version-script=names.map";
    let output = run(dir.path(), &["cc", "a.c", script, "-o", "a"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output = run(dir.path(), &["test", "a", "--stdin", "1", "--json", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}
