//! What happens beside the calls that one sees: handlers, threads, functions that the C library calls back, memory that it writes.
//! Each program reaches `target` for one byte of input, by such a way; no proof may say that it does not.

use std::fs;
use std::process::ExitCode;

use e2e::{long, run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

/// In front of each program.
const NAMES: &str = r#"#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
int flag, other = 3, *where = &other;
static void target(void) { puts("t"); }
static ssize_t writes(void *own, const char *text, size_t bytes) {
    flag = 5;
    return bytes;
}
static ssize_t reads(void *own, char *text, size_t bytes) {
    flag = 6;
    text[0] = 120;
    return 1;
}
static int closes(void *own) {
    flag = 7;
    return 0;
}
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
    (
        "text_to_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    fputs("x", f);
    fflush(f);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "text_to_a_stream_of_its_own_unlocked",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    fputs_unlocked("x", f);
    fflush_unlocked(f);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "a_byte_to_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    setvbuf(f,0,_IONBF,0);
    putc_unlocked(120, f);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "a_format_to_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    fprintf(f,"x");
    fflush(0);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "a_block_to_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    fwrite_unlocked("x",1,1,f);
    fflush(f);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "another_byte_to_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    setvbuf(f,0,_IONBF,0);
    fputc_unlocked(120, f);
    if (flag == 5) target();
    return 0;
}
"#,
    ),
    (
        "a_byte_from_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    fgetc(f);
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "a_byte_from_a_stream_of_its_own_unlocked",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    getc_unlocked(f);
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "another_byte_from_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    fgetc_unlocked(f);
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "a_block_from_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    {
        char q;
        fread_unlocked(&q,1,1,f);
    }
    ;
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "a_line_from_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    {
        char q[3];
        fgets(q,2,f);
    }
    ;
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "a_scan_of_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"r",io);
    {
        char q;
        fscanf(f,"%c",&q);
    }
    ;
    if (flag == 6) target();
    return 0;
}
"#,
    ),
    (
        "the_end_of_a_stream_of_its_own",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    cookie_io_functions_t io = {reads, writes, 0, closes};
    FILE *f = fopencookie(0,"w",io);
    fclose(f);
    if (flag == 7) target();
    return 0;
}
"#,
    ),
    (
        "a_stream_in_memory_is_flushed",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char *l = 0;
    size_t n = 0;
    FILE *f = open_memstream(&l,&n);
    fputs("abc", f);
    fflush(f);
    if (n == 3) target();
    return 0;
}
"#,
    ),
    (
        "a_stream_in_memory_is_flushed_unlocked",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char *l = 0;
    size_t n = 0;
    FILE *f = open_memstream(&l,&n);
    fputs_unlocked("abc", f);
    fflush_unlocked(f);
    if (n == 3) target();
    return 0;
}
"#,
    ),
    (
        "the_buffer_of_a_stream_unlocked",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("zz\n", 3, "r");
    setvbuf(f, buf, _IOFBF, 64);
    fgetc_unlocked(f);
    if (buf[0] == 122) target();
    return 0;
}
"#,
    ),
    (
        "the_buffer_of_a_stream_by_a_macro",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("zz\n", 3, "r");
    setvbuf(f, buf, _IOFBF, 64);
    getc_unlocked(f);
    if (buf[0] == 122) target();
    return 0;
}
"#,
    ),
    (
        "the_buffer_of_a_stream_by_blocks",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen("zz\n", 3, "r");
    setvbuf(f, buf, _IOFBF, 64);
    {
        char q;
        fread_unlocked(&q,1,1,f);
    }
    ;
    if (buf[0] == 122) target();
    return 0;
}
"#,
    ),
    (
        "the_buffer_of_standard_output",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    setvbuf(stdout, buf, _IOFBF, 64);
    putc_unlocked(122, stdout);
    if (buf[0] == 122) target();
    return 0;
}
"#,
    ),
    (
        "an_array_is_a_stream",
        r#"
static char buf[64];
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    FILE *f = fmemopen(buf, 64, "w");
    fputc_unlocked(122, f);
    fflush_unlocked(f);
    if (buf[0] == 122) target();
    return 0;
}
"#,
    ),
    (
        "what_a_block_held_is_held_by_the_next",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int **a = malloc(8);
    int x = 1;
    a[0] = &x;
    int **b = realloc(a, 800);
    *b[0] = 9;
    if (x == 9) target();
    return 0;
}
"#,
    ),
    (
        "where_a_number_ends",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char t[] = "12x";
    char *e;
    strtol(t,&e,10);
    *e = 0;
    if (t[2] == 0) target();
    return 0;
}
"#,
    ),
    (
        "why_a_call_failed",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    errno = 0;
    open("/no/such", 0);
    if (errno == ENOENT) target();
    return 0;
}
"#,
    ),
    (
        "a_copy_of_a_text",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char *p = strdup("abc");
    if (p[1] == 98) target();
    return 0;
}
"#,
    ),
    (
        "the_folder",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    char b[512];
    char *p = getcwd(b, 512);
    if (p == b && b[0] == 47) target();
    return 0;
}
"#,
    ),
    (
        "what_the_locale_says",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    struct lconv *l = localeconv();
    if (l->decimal_point[0] == 46) target();
    return 0;
}
"#,
    ),
    (
        "the_kind_of_a_byte",
        r#"
#include <ctype.h>
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (isalpha(c)) target();
    return 0;
}
"#,
    ),
    (
        "a_wide_byte",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    wchar_t w = 0;
    mbstate_t s;
    memset(&s,0,sizeof s);
    mbrtowc(&w, "a", 1, &s);
    if (w == 97) target();
    return 0;
}
"#,
    ),
    (
        "how_much_was_printed",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    printf("abc%n", &n);
    if (n == 3) target();
    return 0;
}
"#,
    ),
    (
        "how_much_was_printed_by_a_list",
        r#"
static void say(const char *f, ...) {
    va_list a;
    va_start(a, f);
    vfprintf(stdout, f, a);
    va_end(a);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    say("ab%n", &n);
    if (n == 2) target();
    return 0;
}
"#,
    ),
    (
        "what_was_scanned",
        r#"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    int n = 0;
    sscanf("5 6", "%*d %d", &n);
    if (n == 6) target();
    return 0;
}
"#,
    ),
    (
        "an_object_of_an_outer_call",
        r#"
static int *g;
static int f(int d) {
    int x = d;
    if (d == 0) {
        *g = 9;
        return 0;
    }
    if (d == 2) g = &x;
    f(d - 1);
    return x;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (f(2) == 9) target();
    return 0;
}
"#,
    ),
    (
        "an_inner_call_writes_to_an_outer_one",
        r#"
static int f(int d, int *o) {
    int x = d;
    if (o && d == 1) *o = 40;
    if (d > 0) f(d - 1, &x);
    return x;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (f(2,0) == 40) target();
    return 0;
}
"#,
    ),
    (
        "an_object_of_one_round",
        r#"
static int *keep;
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    for (int i = 0; i < 3; i++) {
        int *p = __builtin_alloca(4);
        *p = i;
        if (i == 1) keep = p;
    }
    if (*keep == 1) target();
    return 0;
}
"#,
    ),
    (
        "a_function_writes_for_itself",
        r#"
static void in(int *p) {
    int y = 4;
    if (!p) {
        in(&y);
        if (y == 7) target();
    }
    else *p = 7;
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    in(0);
    return 0;
}
"#,
    ),
    (
        "two_functions_write_for_each_other",
        r#"
static int b(int *p, int d);
static int a(int *p, int d) {
    int z = d;
    if (p) *p += 10;
    if (d) b(&z, d - 1);
    return z;
}
static int b(int *p, int d) {
    int q = 1;
    a(&q, 0);
    *p += q;
    return a(p, d);
}
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (a(0,1) == 22) target();
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

/// By all that there is, which reaches it; in the long variant by looking backward alone, too, with and without the proofs before it.
fn is_reached(program: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("a.c"), format!("{NAMES}{program}"))?;
    let target = ["reach", "a.c", "--cflags=-w", "--at", "function:target"];
    let all = [
        &[][..],
        &["--only", "backward"],
        &["--only", "backward", "--no-proofs"],
    ];
    for how in all.into_iter().take(if long() { 3 } else { 1 }) {
        let given = ["--stdin", "2", "-t", "8s", "--fresh"];
        let words = [&target[..], how, &given, &["--", "-a"]].concat();
        let said = shown(&run(dir.path(), &words));
        let is_proved = said.contains("unreachable") || said.contains("wrong proof");
        let is_open = how.is_empty() && !said.contains("1 of 1 target reached");
        if is_proved || is_open {
            return Err(format!("{how:?}: {said}").into());
        }
    }
    Ok(())
}
