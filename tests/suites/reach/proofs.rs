//! Proofs that nothing reaches a place, going backward, and what must not be proved.

use std::fs;

use e2e::{run, shown};
use serde_json::Value;

use super::{folder, reach_in};

/// What the linker may leave out is missing, and a pointer may lead out of the program: neither is unreachable. The assembly keeps the
/// machine away, whose runs would find an input before the proof.
#[test]
fn nothing_is_unreachable_for_what_is_outside_of_the_program() {
    const WEAK: &str = r"#include <stdio.h>
extern int missing(void) __attribute__((weak));
int main(void) {
    if (getchar() == 'x' && !missing)
        return 5;
    return 0;
}
";
    const POINTER: &str = r#"#include <stdio.h>
static int none(void) { return 0; }
static int (*get)(void) = none;
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 3)
        __asm__ volatile("nop");
    if (argc < 5)
        get = getchar;
    int c = get();
    if (c == 'x')
        return 5;
    return 0;
}
"#;
    for (source, target) in [(WEAK, "a.c:5"), (POINTER, "a.c:12")] {
        for proofs in [&[][..], &["--no-proofs"]] {
            let dir = folder(source);
            let output = reach_in(dir.path(), &[&["--at", target, "--json"], proofs].concat());
            let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let verdict = &answers["targets"][0]["verdict"];
            assert_eq!(verdict, "reached", "{answers}");
            assert!(!answers.to_string().contains("wrong proof"), "{answers}");
        }
    }
}

/// The verdict of one target backward, without the proofs before, and whether it holds for all inputs.
fn backward_says(source: &str, target: &str, more: &[&str]) -> (String, Value) {
    backward_within("20", source, target, more)
}

fn backward_within(seconds: &str, source: &str, target: &str, more: &[&str]) -> (String, Value) {
    let dir = folder(source);
    let mut args = vec![
        "--at",
        target,
        "--only",
        "backward",
        "--json",
        "--no-proofs",
    ];
    args.extend(["--time", seconds]);
    args.extend(more);
    let output = reach_in(dir.path(), &args);
    let answers: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown(&output)));
    let target = &answers["targets"][0];
    let verdict = target["verdict"].as_str().unwrap_or("").to_owned();
    (verdict, target["certificate"].clone())
}

/// A handler may run at any time, but it writes what it writes: what no handler writes is followed as in other programs.
#[test]
fn what_no_handler_writes_is_known_in_a_program_with_handlers() {
    const SOURCE: &str = r#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t rung;
static int mode, told;
static void ring(int signal) {
    (void)signal;
    rung = 1;
    told = 7;
}
static void last(void) { puts("end"); }
int main(void) {
    signal(SIGALRM, ring);
    atexit(last);
    alarm(1);
    int c = getchar();
    if (c == 'm')
        mode = 1;
    told = 0;
    if (mode == 2)
        puts("no mode is 2");
    if (told == 7)
        puts("the bell rang just now");
    if (told == 8)
        puts("nobody tells 8");
    return 0;
}
"#;
    // The handler may stand in an object of the function, or come from elsewhere.
    let local = "struct sigaction act; act.sa_handler = ring; sigemptyset(&act.sa_mask); act.sa_flags = 0; sigaction(SIGALRM, &act, 0);";
    let copied = "static struct sigaction from = {.sa_handler = ring}; struct sigaction act = from; sigaction(SIGALRM, &act, 0);";
    for how in ["signal(SIGALRM, ring);", local, copied] {
        let source = SOURCE.replace("signal(SIGALRM, ring);", how);
        for (line, expected) in [(22, "unreachable"), (24, "unknown")] {
            let (verdict, certificate) = backward_says(&source, &format!("a.c:{line}"), &[]);
            assert_eq!(verdict, expected, "line {line}, {how}");
            if verdict == "unreachable" {
                assert_eq!(certificate["checked"], "yes", "{certificate}");
            }
        }
    }
    // A constructor has written before the start.
    let early = SOURCE.replace(
        "static void last(void)",
        "__attribute__((constructor)) static void first(void) { mode = 2; }\nstatic void last(void)",
    );
    let (verdict, _) = backward_says(&early, "a.c:23", &[]);
    assert_ne!(verdict, "unreachable");
    // A thread reads what others write between.
    let thread = r#"#include <pthread.h>
#include <stdio.h>
static int shared;
static void *other(void *given) {
    shared = 1;
    if (shared == 2)
        puts("the first wrote it");
    return given;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    shared = 2;
    pthread_join(thread, 0);
    return 0;
}
"#;
    let (verdict, _) = backward_says(thread, "a.c:7", &["--cflags", "-pthread"]);
    assert_ne!(verdict, "unreachable");
}

/// The words that a program is called with say which options there are; where an input may be an option, any may be.
#[test]
fn options_that_nobody_gives_are_not_found() {
    const SOURCE: &str = r#"#include <getopt.h>
#include <stdio.h>
#include <string.h>
static const struct option names[] = {{"quiet", no_argument, NULL, 'q'}, {"mode", required_argument, NULL, 300}, {0, 0, 0, 0}};
static int quiet, mode;
static int next(int argc, char **argv) {
    return getopt_long(argc, argv, "ae:q", names, NULL);
}
int main(int argc, char **argv) {
    int c, all = 0;
    const char *text = "";
    while ((c = next(argc, argv)) != -1) {
        switch (c) {
        case 'a': all = 1; break;
        case 'e': text = optarg; break;
        case 'q': quiet = 1; break;
        case 300: mode = 1; break;
        default: return 2;
        }
    }
    if (optind < argc)
        text = argv[optind++];
    if (all)
        puts("all");
    if (quiet)
        puts("quiet");
    if (mode)
        puts("mode");
    return strcmp(text, "x") == 0;
}
"#;
    let fixed = ["--sym-arg", "3", "--", "-e", "@arg", "--qui"];
    for (line, unreachable) in [(24, true), (26, false), (28, true)] {
        let (verdict, certificate) = backward_says(SOURCE, &format!("a.c:{line}"), &fixed);
        assert_eq!(verdict == "unreachable", unreachable, "line {line}");
        if unreachable && certificate["checked"] != "yes" {
            assert_eq!(certificate["all_inputs"], false, "{certificate}");
        }
    }
    let open = ["--sym-arg", "3", "--", "@arg", "-e", "x"];
    for (source, args) in [
        (SOURCE.to_owned(), &open[..]),
        // The word is written to, or read again.
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; argv[1][1] = 'a';"),
            &fixed,
        ),
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; argv[1] = \"-a\";"),
            &fixed,
        ),
        (
            SOURCE.replace("int c, all = 0;", "int c, all = 0; optind = 2;"),
            &fixed,
        ),
    ] {
        // A proof takes less than a second where there is one.
        let (verdict, _) = backward_within("6", &source, "a.c:24", args);
        assert_ne!(verdict, "unreachable", "{source}");
    }
}

/// The words of the command line are part of a certificate that rests on them, and the checker reads them.
#[test]
fn a_proof_by_the_words_of_the_command_line_is_checked() {
    let source = "#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int option;
    while ((option = getopt(argc, argv, \"ae:\")) != -1)
        if (option == 'a')
            puts(\"all\");
    return 0;
}
";
    let dir = folder(source);
    let args = "--only backward --no-proofs --at a.c:7 --sym-arg 4 --json -o out -- -e @arg";
    let args: Vec<&str> = args.split(' ').collect();
    let output = reach_in(dir.path(), &args);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let target = &answer["targets"][0];
    assert_eq!(target["verdict"], "unreachable", "{answer}");
    assert_eq!(target["certificate"]["checked"], "yes", "{answer}");
    assert_eq!(target["certificate"]["all_inputs"], false, "{answer}");
    let output = run(dir.path(), &["check", "out"]);
    assert!(output.status.success(), "{}", shown(&output));
    let path = dir.path().join("out/certificates/certificates.json");
    let text = fs::read_to_string(&path).expect("the certificates");
    assert!(text.contains("\"-e\""), "{text}");
}

/// Options that a program looks for by itself, and what they set: cookietool, jhead, rs, nomarch, where nothing of it was proved.
const BY_HAND: &str = r#"#include <stdio.h>
#include <string.h>
static int mode = 1;
static void help(void) {
    if (getchar() == 'h')
        puts("help");
}
int main(int argc, char **argv) {
    char name[32] = "";
    while (--argc) {
        char *word = *++argv;
        if (*word != '-')
            strcpy(name, word);
        else if (!strcmp(word, "--help"))
            help();
        else
            switch (word[1]) {
            case 'b': mode = 2; break;
            case 'c': mode = 3; break;
            default: return 2;
            }
    }
    if (!*name)
        return 3;
    if (mode == 3 && getchar() == 'c')
        puts("three");
    return 0;
}
"#;

#[test]
fn options_that_the_words_do_not_give_are_never_found() {
    let answer = |target: &str, words: &str, more: &[&str]| {
        let dir = folder(BY_HAND);
        let line = format!("--at {target} --time 8 --json -o out");
        let args: Vec<&str> = line.split(' ').chain(more.iter().copied()).collect();
        let args: Vec<&str> = args.into_iter().chain(words.split(' ')).collect();
        let output = reach_in(dir.path(), &args);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(!answer.to_string().contains("wrong proof"), "{answer}");
        let target = answer["targets"][0].clone();
        if target["verdict"] == "unreachable" {
            assert_eq!(target["certificate"]["checked"], "yes", "{answer}");
            assert_eq!(target["certificate"]["all_inputs"], false, "{answer}");
            let output = run(dir.path(), &["check", "out"]);
            assert!(output.status.success(), "{}", shown(&output));
        }
        target["verdict"].as_str().map(str::to_owned)
    };
    // The function that one calls, a letter, its default, no name, what an option sets.
    for target in ["a.c:6", "a.c:19", "a.c:20", "a.c:24", "a.c:26"] {
        let found = answer(target, "-- -b file", &["--only", "backward", "--no-proofs"]);
        assert_eq!(found.as_deref(), Some("unreachable"), "{target}");
    }
    for (target, words) in [
        ("a.c:6", "-- --help file"),
        ("a.c:19", "-- -b -c"),
        ("a.c:20", "-- -x"),
        ("a.c:24", "-- -b -c"),
        ("a.c:26", "-- -c file"),
        ("a.c:26", "--sym-arg 4 -- @arg file"),
    ] {
        let found = answer(target, words, &[]);
        assert_eq!(found.as_deref(), Some("reached"), "{target} {words}");
    }
}

/// Going back round the loop adds a condition in each round; what holds in every round excludes both lines.
#[test]
fn variables_of_a_loop_that_depend_on_each_other() {
    let source = "#include <stdio.h>
unsigned count(unsigned n) {
    unsigned i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    if (j != n)
        return 7;
    return j;
}
int main(void) {
    for (int c; (c = getchar()) != EOF;)
        if (count(c & 15) == 16)
            puts(\"never\");
    return 0;
}
";
    for (target, all) in [("a.c:9", true), ("a.c:15", true)] {
        let (verdict, certificate) = backward_within("40", source, target, &[]);
        assert_eq!(verdict, "unreachable", "{target}");
        assert_eq!(certificate["checked"], "yes", "{certificate}");
        assert_eq!(certificate["all_inputs"], all, "{certificate}");
    }
}

/// What is on the stack is not what pointers to the heap lead to, whoever allocates it: each write through one may have changed the
/// member, and going back round the calls did not end.
const REGIONS: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct hooks { void *(*make)(size_t); void (*drop)(void *); };
static struct hooks hooks = { malloc, free };
struct out { char *text; size_t room, at; int wide; struct hooks hooks; };
struct item { struct item *next; int number; };
static char *more(struct out *out, size_t count) {
    if (out->at + count < out->room)
        return out->text + out->at;
    char *text = out->hooks.make(2 * out->room + count);
    if (text == NULL)
        return NULL;
    for (size_t at = 0; at < out->at; at++)
        text[at] = out->text[at];
    out->hooks.drop(out->text);
    out->text = text;
    out->room = 2 * out->room + count;
    return text + out->at;
}
static int print(struct item *item, struct out *out) {
    char *to = more(out, 2);
    if (to == NULL)
        return 0;
    *to++ = (char)item->number;
    if (out->wide)
        *to++ = ' ';
    out->at = to - out->text;
    return item->next == NULL || print(item->next, out);
}
int main(void) {
    struct item *items = NULL;
    for (int c; (c = getchar()) != EOF;) {
        struct item *item = hooks.make(sizeof *item);
        if (item == NULL)
            return 1;
        item->next = items;
        item->number = c;
        items = item;
    }
    struct out out = { NULL, 0, 0, 0, hooks };
    return items == NULL || print(items, &out);
}
"#;

#[test]
fn memory_that_pointers_lead_to_is_told_apart() {
    let (verdict, certificate) = backward_within("40", REGIONS, "a.c:26", &[]);
    assert_eq!(verdict, "unreachable");
    assert_eq!(certificate["checked"], "yes", "{certificate}");
    assert_eq!(certificate["all_inputs"], true, "{certificate}");
}

/// A pointer that comes to a variable in a way that is no assignment leads there all the same.
#[test]
fn pointers_that_are_put_together_again_lead_where_they_led() {
    const WAYS: &[&str] = &[
        "char *from = (char *)&a, *to = (char *)&p; for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i];",
        "uintptr_t mixed = (uintptr_t)a ^ 12345; p = (int *)(mixed ^ 12345);",
        "uintptr_t whole = 0; unsigned char *from = (unsigned char *)&a;
         for (int i = 7; i >= 0; i--) whole = whole * 256 + from[i]; p = (int *)whole;",
        "uint32_t high = (uint32_t)((uintptr_t)a >> 32), low = (uint32_t)(uintptr_t)a; p = (int *)((uintptr_t)high << 32 | low);",
        "struct { int *q; } one = { a }, *two = malloc(sizeof one); if (!two) return 1; memcpy(two, &one, sizeof one); p = two->q;",
        "int **one = malloc(sizeof *one); if (!one) return 1; *one = a; one = realloc(one, 64); if (!one) return 1; p = *one;",
        "char text[40]; sprintf(text, \"%p\", (void *)a); void *q; sscanf(text, \"%p\", &q); p = q;",
        "ptrdiff_t far = (char *)a - (char *)&other; p = (int *)((char *)&other + far);",
        "int *(*call)(int *) = same; p = call(a);",
        "p = pass(1, a);",
        "kept = own(8); if (!kept) return 1; p = own_last; a = kept;",
    ];
    for way in WAYS {
        let source = format!(
            "#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int other, *kept, *own_last;
static int *own(size_t size) {{ own_last = malloc(size); return own_last; }}
static int *same(int *p) {{ return p; }}
static int *pass(int n, ...) {{ va_list l; va_start(l, n); int *p = va_arg(l, int *); va_end(l); return p; }}
int main(void) {{
    int *a = malloc(sizeof *a), *p = &other;
    if (!a)
        return 1;
    {way}
    *a = 0;
    *p = getchar();
    if (*a == 'x')
        return 5;
    return kept != NULL && own_last == NULL && same(p) == NULL && pass(0, p) == NULL && own(1) == NULL;
}}
"
        );
        let line = source.lines().position(|line| line.contains("return 5"));
        let target = format!("a.c:{}", line.expect("the line") + 1);
        let dir = folder(&source);
        let args = ["--at", &target, "--json", "--no-proofs"];
        let output = reach_in(dir.path(), &args);
        let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            answers["targets"][0]["verdict"], "reached",
            "{way}: {answers}"
        );
        assert!(!answers.to_string().contains("wrong proof"), "{answers}");
    }
}
