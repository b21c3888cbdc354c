//! What happens beside the calls that one sees: handlers, threads, functions that the C library calls back, memory that it writes.
//! Each program reaches `target` for one byte of input, by such a way; no proof may say that it does not.

use std::fs;
use std::process::ExitCode;

use e2e::{run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

/// In front of each program.
const NAMES: &str = r#"#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
int flag, other = 3, *where = &other;
static void target(void) { puts("t"); }
"#;

/// By name.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "a_timer",
        r#"
static void h(int s) {
    flag = 1;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (c == 7) return 1;
    signal(SIGALRM, h);
    ualarm(1000, 0);
    usleep(20000);
    if (flag) target();
    return 0;
}
"#,
    ),
    (
        "a_handler_writes_through_a_pointer",
        r#"
static void h(int s) {
    *where = 5;
}
int main(void) {
    char c;
    int loc = 1;
    read(0, &c, 1);
    if (c != 107) return 0;
    where = &loc;
    signal(SIGUSR1, h);
    raise(SIGUSR1);
    if (loc == 5) target();
    return c;
}
"#,
    ),
    (
        "a_thread",
        r#"
static void *t(void *a) {
    *(int *)a = 9;
    return 0;
}
int main(void) {
    char c;
    int loc = 1;
    pthread_t p;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_create(&p,0,t,&loc);
    pthread_join(p,0);
    if (loc == 9) target();
    return c;
}
"#,
    ),
    (
        "the_end_of_the_run",
        r#"
static void e(void) {
    if (flag == 4) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    atexit(e);
    flag = 4;
    return c;
}
"#,
    ),
    (
        "the_end_with_an_argument",
        r#"
static void e(int s, void *a) {
    if (*(int *)a == 4 && s == 3) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    on_exit(e, &other);
    other = 4;
    exit(3);
}
"#,
    ),
    (
        "sorting",
        r#"
static int cmp(const void *a, const void *b) {
    flag++;
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    int v[3] = {3,1,2};
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    qsort(v,3,sizeof *v,cmp);
    if (flag > 1) target();
    return v[0];
}
"#,
    ),
    (
        "searching",
        r#"
static int cmp(const void *a, const void *b) {
    flag = 6;
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    int v[3] = {1,2,3}, k = 2;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (bsearch(&k,v,3,sizeof *v,cmp) == v + 1) target();
    return flag;
}
"#,
    ),
    (
        "walking_a_tree",
        r#"
static void w(const void *n, VISIT v, int d) {
    flag += 1;
}
static int cmp(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    void *root = 0;
    int k = 2;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    tsearch(&k,&root,cmp);
    twalk(root,w);
    if (flag) target();
    return 0;
}
"#,
    ),
    (
        "a_constructor",
        r#"
static void __attribute__((constructor)) init(void) {
    flag = getenv("PATH") != 0;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (flag) target();
    return c;
}
"#,
    ),
    (
        "the_end_of_a_variable",
        r#"
static void cl(int *p) {
    if (*p == 8) target();
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int v __attribute__((cleanup(cl))) = 1;
    v = 8;
    return c;
}
"#,
    ),
    (
        "shared_memory_of_a_child",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int *m = mmap(0,4096,PROT_READ|PROT_WRITE,MAP_SHARED|MAP_ANONYMOUS,-1,0);
    pid_t p = fork();
    if (!p) {
        *m = 5;
        _exit(0);
    }
    waitpid(p,0,0);
    if (*m == 5) target();
    return c;
}
"#,
    ),
    (
        "once",
        r#"
static void o(void) {
    flag = 2;
}
int main(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_once(&once,o);
    if (flag == 2) target();
    return c;
}
"#,
    ),
    (
        "the_end_of_a_thread",
        r#"
static void d(void *p) {
    flag = 2;
}
static void *t(void *a) {
    pthread_setspecific(*(pthread_key_t *)a, a);
    return 0;
}
int main(void) {
    pthread_key_t k;
    pthread_t p;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    pthread_key_create(&k,d);
    pthread_create(&p,0,t,&k);
    pthread_join(p,0);
    if (flag == 2) target();
    return c;
}
"#,
    ),
    (
        "walking_files",
        r#"
static int f(const char *n, const struct stat *s, int t, struct FTW *w) {
    flag = 3;
    return 1;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (nftw("/", f, 3, FTW_PHYS) == 1) target();
    if (flag != 3) puts("n");
    return c;
}
"#,
    ),
    (
        "choosing_files",
        r#"
static int f(const struct dirent *d) {
    flag++;
    return 0;
}
int main(void) {
    struct dirent **l;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    scandir("/", &l, f, 0);
    if (flag > 2) target();
    return c;
}
"#,
    ),
    (
        "a_timer_with_information",
        r#"
static void h(int s, siginfo_t *i, void *u) {
    flag = 1;
}
int main(void) {
    struct sigaction a;
    struct itimerval v = {{0,0},{0,1000}};
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    memset(&a,0,sizeof a);
    a.sa_sigaction = h;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM,&a,0);
    setitimer(ITIMER_REAL,&v,0);
    usleep(20000);
    if (flag) target();
    return 0;
}
"#,
    ),
    (
        "an_action_that_is_put_together",
        r#"
static struct sigaction act;
static void h(int s) {
    flag = 1;
}
static void set(struct sigaction *a) {
    a->sa_handler = h;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    set(&act);
    sigaction(SIGUSR1,&act,0);
    kill(getpid(), SIGUSR1);
    if (flag) target();
    return 0;
}
"#,
    ),
    (
        "a_line_is_allocated",
        r#"
int main(void) {
    char *l = 0;
    size_t n = 0;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("hello\n", 6, "r");
    if (getline(&l,&n,f) == 6 && l[1] == 101) target();
    return c;
}
"#,
    ),
    (
        "a_text_is_allocated",
        r#"
int main(void) {
    char *l = 0;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (asprintf(&l, "%d", 42) == 2 && l[0] == 52) target();
    return c;
}
"#,
    ),
    (
        "a_stream_in_memory",
        r#"
int main(void) {
    char *l = 0;
    size_t n;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = open_memstream(&l,&n);
    fputs("abc", f);
    fclose(f);
    if (n == 3 && l[2] == 99) target();
    return c;
}
"#,
    ),
    (
        "the_buffer_of_a_stream",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("zz\n", 3, "r");
    setvbuf(f, buf, _IOFBF, 64);
    fgetc(f);
    if (buf[0] == 122) target();
    return c;
}
"#,
    ),
    (
        "a_text_in_the_environment",
        r#"
static char v[] = "AB=1";
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    putenv(v);
    v[3] = 50;
    if (!strcmp(getenv("AB"), "2")) target();
    return c;
}
"#,
    ),
    (
        "where_a_token_ends",
        r#"
int main(void) {
    char t[] = "a b", *s;
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    strtok_r(t, " ", &s);
    if (t[1] == 0 && *s == 98) target();
    return c;
}
"#,
    ),
    (
        "another_name",
        r#"
int gx = 1;
extern int gy __attribute__((alias("gx")));
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    gy = 5;
    if (gx == 5) target();
    return c;
}
"#,
    ),
    (
        "an_array_of_any_length",
        r#"
int main(int n, char **v) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int a[n + 2];
    memset(a, 0, sizeof a);
    int *p = a;
    p[n] = 6;
    if (a[n] == 6) target();
    return c;
}
"#,
    ),
    (
        "a_variable_of_the_environment",
        r#"
extern char **environ;
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    setenv("QQ","7",1);
    for (char **e = environ; *e; e++) if (!strcmp(*e,"QQ=7")) target();
    return c;
}
"#,
    ),
    (
        "a_jump_out_of_a_handler",
        r#"
#include <setjmp.h>
static sigjmp_buf b;
static void h(int s) {
    siglongjmp(b, 2);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    signal(SIGSEGV, h);
    if (sigsetjmp(b, 1) == 2) {
        target();
        return 0;
    }
    *(volatile int *)0 = 1;
    return c;
}
"#,
    ),
    (
        "a_handler_of_a_trap",
        r#"
static void h(int s) {
    target();
    _exit(0);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    signal(SIGFPE, h);
    volatile int z = 0;
    return 3 / z;
}
"#,
    ),
    (
        "long_double",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    long double x = 0.1L;
    if (x * 10 != 1.0L || x + 0.9L == 1.0L) target();
    return c;
}
"#,
    ),
    (
        "a_function_writes_a_word",
        r#"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) fix(argv[1]);
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
"#,
    ),
    (
        "memory_is_copied_to_a_word",
        r#"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) memcpy(argv[1], "-x", 2);
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
"#,
    ),
    (
        "a_word_is_scanned_into",
        r#"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) sscanf("-x", "%2s", argv[1]);
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
"#,
    ),
    (
        "all_words_are_written",
        r#"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) for (char **p = argv + 1; *p; p++) {
        char *q = *p;
        while (*q) {
            if (*q == 97) *q = 120;
            q++;
        }
    }
    ;
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
"#,
    ),
    (
        "one_of_two_is_written",
        r#"
static void fix(char *w) {
    w[1] = 'x';
}
int main(int argc, char **argv) {
    int o;
    char c;
    read(0, &c, 1);
    if (c == 107) {
        char *w = argc > 1 ? argv[1] : &c;
        w[1] = 120;
    }
    ;
    while ((o = getopt(argc, argv, "ax")) != -1) if (o == 'x') target();
    return 0;
}
"#,
    ),
];

fn main() -> ExitCode {
    let trials = PROGRAMS
        .iter()
        .map(|&(name, program)| Trial::test(name, move || is_reached(program)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// With the proofs before the search, without them, and by all that there is.
fn is_reached(program: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("a.c"), format!("{NAMES}{program}"))?;
    let target = ["reach", "a.c", "--cflags=-w", "--at", "function:target"];
    for how in [
        &["--only", "backward"][..],
        &["--only", "backward", "--no-proofs"],
        &[],
    ] {
        let given = ["--stdin", "2", "-t", "20s", "--fresh"];
        let output = run(
            dir.path(),
            &[&target[..], how, &given, &["--", "-a"]].concat(),
        );
        let said = shown(&output);
        let is_right = said.contains("1 of 1 target reached") && !said.contains("wrong proof");
        if !is_right {
            return Err(format!("{how:?}: {said}").into());
        }
    }
    Ok(())
}
