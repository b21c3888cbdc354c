//! What a program does before it touches its input is done once for all runs. Each run is as if it had done it by itself.

use std::fs;

use e2e::{run, shown};
use serde_json::Value;

/// A program that does this first, then looks at its standard input.
fn program(first: &str) -> String {
    format!(
        r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
static int leaked;
static void *idle(void *unused) {{ return unused; }}
static void handle(int unused) {{ (void)unused; }}
int main(int argc, char **argv) {{
    (void)argc, (void)idle, (void)handle;
    const char *own = "/proc/self/exe";
    (void)own;
    {first}
    int c = getchar();
    return leaked ? 3 : c == 'x' ? 1 : 0;
}}
"#
    )
}

fn test(first: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), program(first)).expect("writes");
    let args = "test a.c --stdin 1 --json -q --no-fuzz --timeout 1s";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{first}: {}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report
}

/// Both outcomes of the last condition are covered, and nothing leaks from one run to the next.
fn goes_on(first: &str) {
    let report = test(first);
    let functions = report["functions"].as_array().expect("functions");
    let main = functions.iter().find(|row| row["name"] == "main");
    let main = main.expect("main");
    let differences = &report["judge"]["differences"];
    assert_eq!(*differences, serde_json::json!([]), "{first}: {report}");
    assert_eq!(
        (&main["covered"], &main["total"]),
        (&3.into(), &4.into()),
        "{first}: {report}"
    );
    assert_eq!(
        report["failures"],
        serde_json::json!([]),
        "{first}: {report}"
    );
}

fn ends(first: &str, outcome: &str) {
    let report = test(first);
    assert_eq!(
        report["failures"][0]["outcome"], outcome,
        "{first}: {report}"
    );
}

#[test]
fn nothing_that_others_see() {
    goes_on("");
    goes_on("char *text = strdup(own); free(realloc(text, 1 << 20));");
    goes_on("struct stat status; leaked = stat(\"none\", &status) == 0;");
    goes_on("signal(SIGUSR1, handle); leaked = time(NULL) == 1;");
    goes_on("leaked = open(NULL, O_RDONLY) >= 0;");
}

#[test]
fn files_that_stay_open() {
    goes_on(
        "int file = open(own, O_RDONLY); char byte; leaked = read(file, &byte, 1) != 1 | lseek(file, 0, SEEK_CUR) != 1;",
    );
    goes_on(
        "FILE *file = fopen(own, \"r\"); leaked = getc(file) != 0x7f; leaked |= system(\"exit 0\") != 0; leaked |= getc(file) != 'E';",
    );
    goes_on("leaked = open(\"/dev/stdin\", O_RDONLY) < 0;");
    goes_on("leaked = open(\".\", O_RDONLY) < 0;");
}

#[test]
fn files_that_are_made() {
    goes_on(
        "struct stat status; leaked = stat(\"made\", &status) == 0; FILE *file = fopen(\"made\", \"w\"); leaked |= file == NULL;",
    );
    goes_on(
        "FILE *file = fopen(\"made\", \"w+\"); leaked = ftell(file) != 0; fputs(\"a\", file); leaked |= fflush(file) != 0 | ftell(file) != 1;",
    );
    goes_on(
        "int file = open(\"made\", O_CREAT | O_TRUNC | O_WRONLY, 0600); leaked = open(\"made\", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0 | close(file) != 0;",
    );
    goes_on(
        "FILE *file = fopen(\"/dev/null\", \"w\"); leaked = fputs(\"a\", file) < 0 | fflush(file) != 0;",
    );
    goes_on("leaked = fopen(\"none/made\", \"w\") != NULL | fopen(\"/none\", \"w\") != NULL;");
}

#[test]
fn what_others_see() {
    goes_on("puts(\"one\"); fflush(stdout);");
    goes_on("leaked = chdir(\"/\") != 0;");
    goes_on(
        "FILE *file = fopen(\"left\", \"r\"); leaked = file != NULL; leaked |= close(open(\"left\", O_CREAT | O_RDWR, 0600)) != 0;",
    );
    goes_on(
        "int *runs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); leaked = ++*runs > 1;",
    );
    goes_on(
        "int ends[2]; leaked = pipe(ends) != 0 | write(ends[1], \"a\", 1) != 1; char byte; leaked |= read(ends[0], &byte, 1) != 1;",
    );
    goes_on("leaked = system(\"exit 0\") != 0;");
    goes_on(
        "pthread_t thread; leaked = pthread_create(&thread, NULL, idle, NULL) != 0 | pthread_join(thread, NULL) != 0;",
    );
    goes_on("sigset_t all; sigfillset(&all); leaked = sigprocmask(SIG_SETMASK, &all, NULL) != 0;");
    goes_on("signal(SIGSYS, handle); alarm(100);");
    goes_on("leaked = dup2(dup(0), 0) != 0;");
}

/// Locks that know their owner by its number.
#[test]
fn locks_that_are_held_when_the_input_is_touched() {
    goes_on(
        "static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; pthread_rwlock_wrlock(&lock); ungetc(getchar(), stdin); pthread_rwlock_unlock(&lock); leaked = pthread_rwlock_rdlock(&lock) != 0;",
    );
    goes_on(
        "static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; pthread_mutex_lock(&lock); ungetc(getchar(), stdin); leaked = pthread_mutex_unlock(&lock) != 0;",
    );
    goes_on(
        "leaked = setlocale(LC_ALL, \"C.UTF-8\") == NULL; wchar_t wide; leaked |= mbrtowc(&wide, \"a\", 1, NULL) != 1;",
    );
}

#[test]
fn ends_before_the_input() {
    ends("abort();", "signal 6 (SIGABRT)");
    ends("*(volatile int *)8 = 1;", "signal 11 (SIGSEGV)");
    ends("for (volatile int i = 0;; i++) { }", "timeout");
    let report = test("exit(4);");
    assert_eq!(report["failures"], serde_json::json!([]), "{report}");
}

#[test]
fn a_folded_start_covers_what_the_judge_says() {
    // The arms of `accept` are constants, whose branches have the place of the `&&` around them.
    const SOURCE: &str = r#"
#include "bothways.h"
static int look, seen, flag;
static void next(void) { look = 7; seen++; }
#define accept(x) (look == x ? (next(), 1) : 0)
static int postfix(void) {
    if (!flag && accept(1)) return 5;
    if (!flag && (look == 2 ? seen + 1 : 0)) return 6;
    return 3;
}
int main(void) {
    int a;
    look = 9;
    for (int i = 0; i < 50000; i++) postfix();
    bw_int(&a, "a");
    return a > 3;
}
"#;
    let (covered, _) = e2e::covered(SOURCE, "test a.c --iterations 3 --json --quiet");
    assert_eq!(covered, 8);
}
