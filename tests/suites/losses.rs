//! What counts against a proof: a symbolic value that became concrete for good, wherever it was, and nothing else.
//!
//! Each program is searched without `backward`'s proofs, so that only an exhausted tree can say that a goal is infeasible.

use e2e::{no_wrong_proof, run, shown};
use serde_json::Value;

/// Covered, infeasible and open goals after at most so many runs.
fn goals(source: &str, iterations: u32) -> (u64, u64, u64) {
    let report = report(source, iterations);
    let number = |key: &str| report["goals"][key].as_u64().expect("a number");
    (number("covered"), number("infeasible"), number("open"))
}

fn report(source: &str, iterations: u32) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("a.c"), source).expect("writes");
    let iterations = iterations.to_string();
    let args = "test a.c --json --quiet --no-proofs --check --iterations";
    let args: Vec<&str> = args.split(' ').chain([iterations.as_str()]).collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report = serde_json::from_slice(&output.stdout).expect("an object");
    no_wrong_proof(&report).expect("no test refutes a proof");
    report
}

/// `get` has no use for its argument, so it never asked for the label, and the caller took it for an external function.
#[test]
fn a_function_that_ignores_its_argument_loses_nothing() {
    let source = "
        extern int __VERIFIER_nondet_int(void);
        int get(int k) { int r = __VERIFIER_nondet_int(); return r; }
        int main(void) {
            int u = __VERIFIER_nondet_int();
            int t = get(u);
            if (t == 9) return 2;
            if (u == 8 && u == 9) return 1;
            return 0;
        }";
    assert_eq!(goals(source, 100), (5, 1, 0));
    let report = report(source, 100);
    assert_eq!(report["concretised"], serde_json::json!([]), "{report}");
}

/// Pins of a wrapper that the program calls by pointer have no place: they filled in for a full table, which denied the proof.
#[test]
fn pins_without_a_place_deny_no_proof() {
    let source = "
        #include <string.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        static char to[8], from[8] = \"abcdefg\";
        static void *(*volatile copy)(void *, const void *, unsigned long) = memcpy;
        int main(void) {
            unsigned n = __VERIFIER_nondet_uchar() & 3;
            copy(to, from, n);
            if (to[2] == 'c') return 1;
            if (to[3] == 'd') return 2;
            return 0;
        }";
    assert_eq!(goals(source, 100), (3, 1, 0));
}

/// A false proof: behind 256 symbolic characters the length was concrete, and that passed for a pin.
#[test]
fn text_longer_than_its_expression_is_lost() {
    for (call, found) in [
        ("strlen(s) == 270", "length"),
        ("strcspn(s, \"x\") == 270", "span"),
        ("strchr(s, 'x') == s + 270", "place"),
        ("memcmp(s, t, 299) > 0 && s[298] == 1", "difference"),
    ] {
        let source = format!(
            "#include <string.h>\n#include \"bothways.h\"\nstatic char s[300], t[300];
            int main(void) {{ bw_bytes(s, 299, \"s\"); if ({call}) return 1; return 0; }}"
        );
        let (_, infeasible, _) = goals(&source, 20);
        assert_eq!(infeasible, 0, "{found}");
    }
}

/// False proofs: labels that a call has no room for vanished in silence.
#[test]
fn arguments_that_carry_no_label_are_lost() {
    let list = |count: usize, text: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..count).map(text).collect();
        all.join(", ")
    };
    let parameters = list(70, &|index| format!("int p{index}"));
    let with_x = |index: usize| match index {
        68 => "x".to_owned(),
        _ => index.to_string(),
    };
    let many = format!(
        "static int f({parameters}) {{ return p68 == 77; }}
        static int call(int x) {{ return f({}); }}",
        list(70, &with_x)
    );
    let variable = format!(
        "#include <stdarg.h>
        static int f(int n, ...) {{
            va_list list;
            int v = 0;
            va_start(list, n);
            while (n--) v = va_arg(list, int);
            va_end(list);
            return v == 77;
        }}
        static int call(int x) {{ return f(130, {}, x); }}",
        list(129, &|index| index.to_string())
    );
    let object = "#include <stdarg.h>
        struct big { int a[8]; };
        static int f(int n, ...) {
            va_list list;
            va_start(list, n);
            struct big b = va_arg(list, struct big);
            va_end(list);
            return b.a[3] == 77;
        }
        static int call(int x) { struct big b = {{0}}; b.a[3] = x; return f(1, b); }"
        .to_owned();
    for source in [many, variable, object] {
        let source = format!(
            "{source}\nint __VERIFIER_nondet_int(void);
            int main(void) {{ if (call(__VERIFIER_nondet_int())) return 1; return 0; }}"
        );
        let (_, infeasible, _) = goals(&source, 20);
        assert_eq!(infeasible, 0, "{source}");
    }
}

/// A store through an address that names one of a few cells is an expression: one path says all, and nothing is pinned.
#[test]
fn a_store_to_one_of_a_few_cells_pins_nothing() {
    let source = "
        unsigned char __VERIFIER_nondet_uchar(void);
        struct item { int a; short b; };
        static unsigned words[8];
        static struct item items[4];
        int main(void) {
            unsigned x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar() & 7, old = words[3];
            words[x & 7] = 5;
            words[y]++;
            words[3] |= old;
            items[x & 3].b = y;
            if (words[2] == 6) return 1;
            if (words[2] == 7) return 2;
            if (words[3] == 6 && items[3].b == 3) return 3;
            if (items[1].b + items[2].b > 7) return 4;
            return 0;
        }";
    let report = report(source, 100);
    assert_eq!(report["concretised"], serde_json::json!([]), "{report}");
    let number = |key: &str| report["goals"][key].as_u64().expect("a number");
    assert_eq!(
        (number("covered"), number("infeasible")),
        (7, 3),
        "{report}"
    );
}

/// A false proof: an object that a call copies was read as if its address, which the input decides, were known. It also made runs
/// part without a decision (seeds 10 and 23 of `truth`).
#[test]
fn an_object_passed_by_value_depends_on_its_address() {
    let source = "
        unsigned char __VERIFIER_nondet_uchar(void);
        struct item { int a[6]; };
        static struct item items[4] = {{{1}}, {{2}}, {{3}}, {{4}}};
        static int first(int k, struct item i) { return i.a[0] + k; }
        static int of_list(int k, ...) {
            __builtin_va_list list;
            __builtin_va_start(list, k);
            struct item i = __builtin_va_arg(list, struct item);
            __builtin_va_end(list);
            return i.a[0];
        }
        int main(void) {
            unsigned x = __VERIFIER_nondet_uchar() & 3;
            if (first(0, items[x]) == 3) return 1;
            if (of_list(1, items[x]) == 4) return 2;
            if (first(0, items[x]) == 9) return 3;
            return 0;
        }";
    assert_eq!(goals(source, 100), (5, 1, 0));
}

/// A label outlived its value: of arguments on the stack that are all concrete nobody told the callee, which found those of the
/// call before.
#[test]
fn arguments_on_the_stack_are_forgotten_at_the_return() {
    let source = "
        #include <setjmp.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        static jmp_buf out;
        static int last(int n, int jump, ...) {
            __builtin_va_list list;
            int v = 0;
            __builtin_va_start(list, jump);
            while (n--) v = __builtin_va_arg(list, int);
            __builtin_va_end(list);
            if (jump) longjmp(out, 1);
            return v;
        }
        int main(void) {
            int x = __VERIFIER_nondet_uchar() & 7;
            last(8, 0, 1, 1, 1, 1, 1, 1, 1, x);
            if (last(8, 0, 1, 1, 1, 1, 1, 1, 1, 0) != 0) return 1;
            if (!setjmp(out)) last(8, 1, 1, 1, 1, 1, 1, 1, 1, x);
            if (last(8, 0, 1, 1, 1, 1, 1, 1, 1, 0) != 0) return 2;
            return 0;
        }";
    let report = report(source, 100);
    let notes = report["notes"].to_string();
    assert!(
        !notes.contains("parted") && !notes.contains("elsewhere"),
        "{report}"
    );
    assert_eq!(report["concretised"], serde_json::json!([]), "{report}");
}

/// False proofs: a result that reached its reader through another function vanished in silence.
#[test]
fn a_result_of_a_tail_call_is_lost() {
    let source = "
        int __VERIFIER_nondet_int(void);
        __attribute__((noinline)) int same(int x) { return x; }
        __attribute__((noinline)) int through(int x) { __attribute__((musttail)) return same(x); }
        int main(void) { if (through(__VERIFIER_nondet_int()) == 77) return 1; return 0; }";
    let (_, infeasible, _) = goals(source, 20);
    assert_eq!(infeasible, 0);
}

/// A false proof: no input decides where an object is, and the C library places it otherwise than the machine.
#[test]
fn what_addresses_decide_as_numbers_is_no_proof() {
    let source = "
        #include <stdint.h>
        #include <stdlib.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        static unsigned hash(const char *p) { return ((uintptr_t)p >> 4) % 7; }
        int main(void) {
            unsigned char a = __VERIFIER_nondet_uchar();
            char *p = malloc(10);
            if (p == NULL) return 1;
            if (hash(p) == 3) return 2;
            return a == 5;
        }";
    for target in ["native", "machine"] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(dir.path().join("a.c"), source).expect("writes");
        let args = "test a.c --json --quiet --no-proofs --iterations 40 --target";
        let args: Vec<&str> = args.split(' ').chain([target]).collect();
        let output = run(dir.path(), &args);
        let report: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!(report["goals"]["infeasible"], 0, "{target}: {report}");
    }
}

/// Whether two addresses are equal, and how far one is from another, is the program's own doing.
#[test]
fn identity_and_distance_of_addresses_deny_no_proof() {
    let source = "
        #include <stdint.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        static char text[8] = \"abcdefg\";
        int main(void) {
            char *p = text + (__VERIFIER_nondet_uchar() & 3);
            if ((uintptr_t)p == 0) return 1;
            if (p - text > 3) return 2;
            return p == text;
        }";
    assert_eq!(goals(source, 100), (2, 2, 0));
}

/// A false proof: only what `main` calls was asked for results that no input decides.
#[test]
fn what_a_constructor_asks_outside_is_no_proof() {
    let source = "
        #include <stdlib.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        static int mode;
        __attribute__((constructor)) static void start(void) { if (getenv(\"BOTHWAYS_MODE\")) mode = 1; }
        int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); return mode == 1 && c == 'x'; }";
    let (_, infeasible, _) = goals(source, 100);
    assert_eq!(infeasible, 0);
}

/// What a shared library that nobody instrumented decides is not seen, and nothing said so (Debian's jpegoptim, which gives its input
/// to libjpeg).
#[test]
fn libraries_that_are_not_in_the_model_are_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let write =
        |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("writes");
    write(
        "lib.c",
        "int judged(const char *text) { return text[0] == 'j' && text[1] == 'p'; }\n",
    );
    write(
        "a.c",
        "#include <unistd.h>\nint judged(const char *text);\n\
         int main(void) { char text[3] = {0}; read(0, text, 2); if (judged(text)) return 1; return 0; }\n",
    );
    let made = std::process::Command::new("clang-19")
        .args(["-shared", "-fPIC", "lib.c", "-o", "libforeign.so"])
        .current_dir(dir.path())
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let rpath = format!("-Wl,-rpath,{}", dir.path().display());
    let cc = ["cc", "a.c", "-L.", "-lforeign", &rpath, "-o", "prog"];
    let built = run(dir.path(), &cc);
    assert_eq!(built.status.code(), Some(0), "{}", shown(&built));
    let test = ["test", "./prog", "--stdin", "2", "-n", "5", "-q", "--json"];
    let output = run(dir.path(), &test);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let notes = report["notes"].to_string();
    assert_eq!(report["goals"]["open"], 1, "{}", shown(&output));
    assert!(
        notes.contains("libforeign.so is not compiled by bothways"),
        "{notes}"
    );
    assert!(!notes.contains("libc.so"), "{notes}");
}
