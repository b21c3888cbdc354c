// Each case changes something of the process and exits with what it found there before: `repeats.rs` runs it with a fork for each
// run and without, and both must find the same. argv[1] names the case; the input is its first argument.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static int nothing(int c) { return c; }

static int counter;
static int data[3000] = {1, 2, 3};
static char zeros[1 << 18];
static int globals(int c) {
    int found = counter + data[2999] + data[2] + zeros[c * 100] + zeros[sizeof zeros - 1];
    counter++, data[2999]++, data[2]++, zeros[c * 100] = 1, zeros[sizeof zeros - 1] = 1;
    return found;
}

static char *early_block;
static void heap_early(void) { early_block = calloc(1, 40000); }
static int heap(int c) {
    int found = early_block[0] + early_block[30000];
    early_block[0]++, early_block[30000] = 1;
    unsigned char *block = malloc(5000 + c), *large = malloc(400000 + c);
    found += large[399999];
    memset(block, 0xaa, 5000), memset(large, 0xbb, 400000);
    large = realloc(large, 900000 + c);
    if (c & 1) free(early_block);
    if (c & 2) free(large);
    return found;
}

static int brk_moves(int c) {
    char *end = sbrk(0);
    if (sbrk(100000) == (void *)-1) return 90;
    int found = end[50000];
    end[50000] = 7;
    sbrk(-60000);
    sbrk(60000);
    return found + end[50000] + c;
}

// More blocks than the runtime has room for in its table before the first input.
static void *blocks[900];
static void many_blocks_early(void) {
    for (int i = 0; i < 300; i++) blocks[i] = malloc(40);
}
static int many_blocks(int c) {
    for (int i = 300; i < 900; i++) blocks[i] = malloc(16 + c % 64);
    for (int i = 0; i < 900; i += 3) free(blocks[i]);
    return c;
}

static int heap_shrinks(int c) {
    char *end = sbrk(0);
    early_block[39999] = 3;
    if (sbrk(-8192) == (void *)-1) return 90;
    return (int)((end - (char *)sbrk(0)) / 4096) + c;
}

static __attribute__((noinline)) int recurse(int depth) {
    volatile char room[2000];
    int found = room[1000] == 0x55;
    room[1000] = 0x55;
    return found + (depth ? recurse(depth - 1) : 0) + room[0] * 0;
}
// Well below what the calls that read the input left on the stack, which differs from one run to the next.
static int stack(int c) {
    char *volatile above = __builtin_alloca((size_t)((1 << 14) + c));
    above[0] = 0;
    return recurse(20 + c * 40) ? 1 : 0;
}

static int streams(int c) {
    static char buffer[300];
    int found = buffer[0] != 0;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printf("some text %d", c);
    FILE *file = fopen("left", "a+");
    fprintf(file, "%d\n", c);
    return found + fileno(file);
}

static int opened(int c) {
    int first = open("/dev/null", O_RDWR), second = dup(first), third = fcntl(first, F_DUPFD, 20);
    close(first);
    return first + second + third + memfd_create("x", 0) + c;
}

static int closed(int c) {
    int found = fcntl(0, F_GETFD) + 2 * fcntl(1, F_GETFD) + 4 * fcntl(2, F_GETFD);
    fclose(stdin), fclose(stdout), close(2);
    return found + open("/dev/null", O_RDONLY) + c;
}

static int replaced(int c) {
    struct stat before, after;
    fstat(1, &before);
    int file = open("/dev/null", O_WRONLY);
    dup2(file, 1), dup3(file, 9, O_CLOEXEC);
    fstat(1, &after);
    return (before.st_rdev != after.st_rdev) + fcntl(9, F_GETFD) + c;
}

// What gawk does before it reads: errors are written at the end of their file.
static int status_flags(int c) {
    int found = fcntl(0, F_GETFL) & (O_APPEND | O_NONBLOCK);
    fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_APPEND);
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | (c == 'a' ? O_APPEND : O_NONBLOCK));
    return c + (found != 0);
}

static int early_file;
static void position_early(void) { early_file = open("/etc/passwd", O_RDONLY); }
static int position(int c) {
    char text[10] = "";
    int found = (int)lseek(early_file, 0, SEEK_CUR);
    read(early_file, text, sizeof text);
    if (c & 1) close(early_file);
    return found + text[0] % 7;
}

static int folder(int c) {
    char path[300];
    getcwd(path, sizeof path);
    int found = (int)strlen(path);
    mkdir("below", 0777), chdir("below");
    return found + c;
}

static int mask_of_files(int c) { return umask(077) % 100 + c; }
static int rights(int c) { return setgid(getgid()) + setuid(getuid()) + setreuid(-1, geteuid()) + setresgid(-1, getgid(), -1) + c; }
static int variables(int c) {
    int found = getenv("CASES_LEFT") != NULL;
    setenv("CASES_LEFT", "1", 1);
    return found + c;
}

static int handled;
static void on_signal(int signal) { handled += signal; }
static int handlers(int c) {
    struct sigaction old, new = {.sa_handler = on_signal};
    sigfillset(&new.sa_mask);
    sigaction(SIGUSR1, &new, &old);
    int found = old.sa_handler == on_signal;
    sigaction(SIGUSR2, NULL, &old);
    if (c & 1) raise(SIGUSR1);
    signal(SIGPIPE, SIG_IGN);
    return found + handled + (old.sa_handler == SIG_DFL);
}

static void everything_is_blocked(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}
static int mask(int c) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    int found = sigismember(&old, SIGUSR1) + 2 * sigismember(&old, SIGTERM) + 4 * sigismember(&old, SIGSYS);
    FILE *file = fopen("masked", "w");
    sigdelset(&all, SIGUSR1);
    sigprocmask(SIG_SETMASK, &all, &old);
    return found + sigismember(&old, SIGUSR1) + (file != NULL) + c;
}

static jmp_buf back;
static void on_fault(int signal) { siglongjmp(back, signal); }
static int fault_is_handled(int c) {
    struct sigaction new = {.sa_handler = on_fault};
    sigfillset(&new.sa_mask);
    sigaction(SIGSEGV, &new, NULL);
    int signal = sigsetjmp(back, 1);
    if (signal == 0) *(volatile int *)8 = c;
    FILE *file = fopen("faulted", "w");
    return signal + (file != NULL);
}
static void fault_early(void) {
    struct sigaction new = {.sa_handler = on_fault};
    sigfillset(&new.sa_mask);
    sigaction(SIGSEGV, &new, NULL);
}
static int early_handler(int c) {
    int signal = sigsetjmp(back, c & 1);
    if (signal == 0) *(volatile int *)8 = c;
    return signal + open("/dev/null", O_RDONLY);
}
static void on_end(int signal) { _exit(signal); }
static int exits_in_handler(int c) {
    signal(SIGSEGV, on_end);
    return *(volatile int *)8 + c;
}
static int pipe_breaks(int c) {
    int ends[2];
    signal(SIGPIPE, on_signal);
    if (pipe(ends)) return 90;
    close(ends[0]);
    int wrote = (int)write(ends[1], "x", 1);
    return handled + wrote + c;
}

static char other_stack[1 << 16];
static int signal_stack(int c) {
    stack_t new = {.ss_sp = other_stack, .ss_size = sizeof other_stack}, old;
    int found = sigaltstack(&new, &old);
    return found + (old.ss_flags == SS_DISABLE) + c;
}
// What GNU's programs do before they read: they look for a locale, ask where their stack is, and handle its overflow on another one.
static int mapped;
static void overflowed(int signal, siginfo_t *info, void *context) {
    char local, *at = &local;
    (void)info, (void)context;
    _exit(at >= other_stack && at < other_stack + sizeof other_stack ? signal + mapped : 90);
}
static void gnu_start(void) {
    char text[4096];
    int folder = open("/usr/lib", O_RDONLY | O_CLOEXEC), maps = open("/proc/self/maps", O_RDONLY);
    close(folder);
    for (ssize_t got; (got = read(maps, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < got; i++) mapped += text[i] == 'r';
    close(maps);
    mapped = mapped > 20;
    fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_APPEND);
    mapped += isatty(0);
    stack_t new = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_sigaction = overflowed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaltstack(&new, NULL) || sigaction(SIGSEGV, &action, NULL)) _exit(91);
}
static int faults_on_its_stack(int c) { return *(volatile int *)8 + c; }

static ucontext_t here, there;
static int reached;
static void elsewhere(void) {
    reached += (int)write(1, "x", 1);
    swapcontext(&there, &here);
}
static int contexts(int c) {
    static char small[16384];
    getcontext(&there);
    there.uc_stack.ss_sp = small, there.uc_stack.ss_size = sizeof small, there.uc_link = &here;
    makecontext(&there, elsewhere, 0);
    swapcontext(&here, &there);
    return reached + c;
}

static int timer(int c) {
    struct itimerval old, new = {.it_value.tv_usec = 900000};
    signal(SIGALRM, on_end);
    setitimer(ITIMER_REAL, &new, &old);
    return old.it_value.tv_usec != 0 ? 50 : c;
}

static char *early_map;
static void maps_early(void) {
    early_map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(early_map, 9, 1 << 15);
}
static int maps(int c) {
    int found = early_map[0] + early_map[40000];
    early_map[0] = 1, early_map[40000] = 1;
    char *own = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    found += own[12345];
    own[12345] = 5;
    munmap(own + 8192, 16384);
    own = mremap(own + 24576, 8192, 1 << 19, MREMAP_MAYMOVE);
    return found + own[4096] + c;
}
static int unmaps(int c) {
    munmap(early_map + 4096, 4096);
    unsigned char there;
    return mincore(early_map + 4096, 4096, &there) + 10 + c;
}

// Blocks of which each has a mapping of its own.
static char *large_blocks[3];
static void large_early(void) {
    for (int i = 0; i < 3; i++) memset(large_blocks[i] = malloc(300000), i + 1, 200000);
}
static int frees_large(int c) {
    int found = large_blocks[0][0] + large_blocks[1][199999] + large_blocks[2][250000];
    large_blocks[1][199999]++;
    if (c & 1) free(large_blocks[0]);
    if (c & 2) free(large_blocks[2]);
    char *other = malloc(300000);
    found += other[1000];
    memset(other, 7, 300000);
    return found + c;
}
static int grows_large(int c) {
    large_blocks[0][5]++;
    char *grown = realloc(large_blocks[0], 900000 + c);
    int found = grown[5] + grown[199999] + grown[200000] + grown[899999];
    grown[899999] = 9, grown[0] = 8;
    large_blocks[1] = realloc(large_blocks[1], 600000);
    large_blocks[1][7]++;
    return found + large_blocks[1][7] + large_blocks[2][7] + c;
}
static int reads_freed(int c) {
    free(large_blocks[0]);
    return c == 'c' ? large_blocks[0][0] + 100 : c;
}

static FILE *made_file;
static void make_early(const char *how) {
    made_file = fopen("made", how);
    if (!made_file) _exit(201);
}
static void made_early(void) { make_early("w+"); }
static void made_alone_early(void) { make_early("w+x"); }
static int makes_file(int c) {
    struct stat status;
    int found = stat("made", &status) ? 60 : (int)status.st_size;
    found += fprintf(made_file, "%c%d", c, counter++) + fflush(made_file);
    found += stat("made", &status) ? 30 : (int)status.st_size;
    if (c & 1) found += fclose(made_file) + remove("made");
    return found + (int)lseek(3, 0, SEEK_CUR) + c % 16;
}
static int protects(int c) {
    int found = early_map[0];
    mprotect(early_map, 4096, PROT_READ);
    if (c & 1) early_map[0] = 1;
    return found;
}
static int drops(int c) {
    int found = early_map[100];
    madvise(early_map, 8192, MADV_DONTNEED);
    return found + early_map[100] + early_map[5000] + c;
}

static int rounding(int c) {
    int found = fegetround() != FE_TONEAREST, raised = fetestexcept(FE_ALL_EXCEPT) & FE_OVERFLOW;
    fesetround(FE_UPWARD), feraiseexcept(FE_OVERFLOW);
    return found + raised + c;
}
static int old_unit(int c) {
    long double x;
    // Eight values stay on the stack of the x87.
    __asm__ volatile("fld1; fld1; fld1; fld1; fld1; fld1; fld1; fldz; fstpt %0" : "=m"(x));
    return x != 0 ? 70 : c;
}
static int direction(int c) {
    __asm__ volatile("std");
    syscall(SYS_exit_group, c + 3);
    return 0;
}

static int forks(int c) {
    int child = fork();
    if (child == 0) _exit(c & 3);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) + counter++;
}
static void *in_thread(void *argument) { return (char *)argument + 1; }
static int threads(int c) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)c);
    pthread_join(thread, &result);
    return (int)(uintptr_t)result;
}
extern char **environ;
static int spawns(int c) {
    pid_t child;
    int status = 0;
    char *argv[] = {"true", NULL};
    if (posix_spawnp(&child, "true", NULL, NULL, argv, environ) == 0) waitpid(child, &status, 0);
    return status + system("exit 3") / 256 + c;
}
static int becomes_another(int c) {
    if (c & 1) execlp("sh", "sh", "-c", "exit 5", NULL);
    return c;
}

static void at_end(void) {
    if (counter++) _exit(60);
}
static int at_exits(int c) {
    atexit(at_end);
    return c;
}
static int exits_at_once(int c) { _exit(c + counter++); }
static int exits_raw(int c) {
    counter++;
    syscall(SYS_exit_group, c + counter);
    return 0;
}
static int ends_thread(int c) {
    syscall(SYS_exit, c + 1);
    return 0;
}
static int aborts(int c) {
    if (counter++) return 80;
    if (c & 1) abort();
    return c;
}
static void on_abort(int signal) { siglongjmp(back, signal + counter++); }
static int abort_is_handled(int c) {
    signal(SIGABRT, on_abort);
    int signal = sigsetjmp(back, 1);
    if (signal == 0) abort();
    return signal + c;
}
static int faults(int c) {
    if (c & 1) return *(volatile int *)(uintptr_t)c;
    return counter++;
}
static int kills_itself(int c) {
    if (c & 1) kill(getpid(), c & 2 ? SIGTERM : SIGKILL);
    return counter++;
}

static int limits(int c) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    int found = (int)limit.rlim_cur % 100;
    limit.rlim_cur = 50;
    setrlimit(RLIMIT_NOFILE, &limit);
    return found + c;
}
static int name(int c) {
    char text[16] = "";
    prctl(PR_GET_NAME, text);
    prctl(PR_SET_NAME, "other");
    return (unsigned char)text[0] % 50 + c;
}
static int own_dispatch(int c) {
    static char selector;
    return prctl(59, 1, 0, 0, &selector) + 2 + c;
}
static int own_handler(int c) {
    struct sigaction old, new = {.sa_handler = on_signal};
    sigaction(SIGSYS, &new, &old);
    raise(SIGSYS);
    return handled + (old.sa_handler == SIG_DFL) + c;
}
static int library_state(int c) {
    char text[] = "a b c";
    int found = strtok(text, " ") != text, random = rand() % 50;
    srand(c);
    setlocale(LC_ALL, "C.UTF-8");
    time_t zero = 0;
    return found + random + localtime(&zero)->tm_year % 3 + (MB_CUR_MAX > 1) + optind;
}
static int error_number(int c) {
    int found = errno;
    errno = 40;
    return found + c;
}
static int sleeps(int c) {
    struct timespec time = {0, 1000};
    nanosleep(&time, NULL);
    return c;
}
static int files(int c) {
    int found = access("made", F_OK) == 0;
    close(open("made", O_CREAT | O_WRONLY, 0600));
    rename("made", "renamed"), link("renamed", "linked"), unlink("renamed"), chmod("linked", 0644);
    return found + access("linked", R_OK) + c;
}
static int runs_long(int c) {
    volatile unsigned spin = 0;
    while (c & 1) spin++;
    return counter++;
}
// Seeing so many calls takes longer than a fork.
static int asks_often(int c) {
    int found = counter++;
    for (int i = 0; i < 2000 + c; i++) getppid();
    int made = open("often", O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (int i = 0; i < 2000; i++) lseek(made, i, SEEK_SET);
    return found + made + (int)lseek(made, 0, SEEK_CUR) % 100;
}

// Byte by byte, as HTML Tidy does.
static int messages(int c) {
    int found = counter++;
    for (int i = 0; i < 5000 + c; i++) fputc('m', stderr);
    return found + c;
}

// Nothing that a run could put back.
static int processor_time(int c) {
    volatile unsigned spin = 0;
    while (spin < 60000) spin++;
    return clock() > CLOCKS_PER_SEC / 100 ? 100 : c & 15;
}

#define PLAIN(name) {#name, 0, name}
static const struct {
    const char *name;
    void (*early)(void);
    int (*run)(int);
} cases[] = {
    PLAIN(nothing), PLAIN(globals), {"heap", heap_early, heap}, PLAIN(brk_moves), {"heap_shrinks", heap_early, heap_shrinks},
    {"many_blocks", many_blocks_early, many_blocks},
    PLAIN(stack), PLAIN(streams), PLAIN(opened), PLAIN(closed), PLAIN(replaced), {"position", position_early, position}, PLAIN(status_flags),
    PLAIN(folder), PLAIN(mask_of_files), PLAIN(rights), PLAIN(variables), PLAIN(handlers), PLAIN(mask),
    {"mask_early", everything_is_blocked, mask}, PLAIN(fault_is_handled), {"early_handler", fault_early, early_handler},
    PLAIN(exits_in_handler), PLAIN(pipe_breaks), PLAIN(signal_stack), {"gnu_start", gnu_start, faults_on_its_stack}, PLAIN(contexts), PLAIN(timer), {"maps", maps_early, maps},
    {"unmaps", maps_early, unmaps}, {"frees_large", large_early, frees_large}, {"grows_large", large_early, grows_large},
    {"reads_freed", large_early, reads_freed}, {"makes_file", made_early, makes_file},
    {"makes_file_alone", made_alone_early, makes_file}, {"protects", maps_early, protects}, {"drops", maps_early, drops}, PLAIN(rounding),
    PLAIN(old_unit), PLAIN(direction), PLAIN(forks), PLAIN(threads), PLAIN(spawns), PLAIN(becomes_another), PLAIN(at_exits),
    PLAIN(exits_at_once), PLAIN(exits_raw), PLAIN(ends_thread), PLAIN(aborts), PLAIN(abort_is_handled), PLAIN(faults),
    PLAIN(kills_itself), PLAIN(limits), PLAIN(name), PLAIN(own_dispatch), PLAIN(own_handler), PLAIN(library_state),
    PLAIN(error_number), PLAIN(sleeps), PLAIN(files), PLAIN(runs_long), PLAIN(asks_often), PLAIN(messages),
    PLAIN(processor_time),
};

int main(int argc, char **argv) {
    for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1])) continue;
        if (cases[i].early) cases[i].early();
        unsigned char c = 0;
        int got = (int)read(0, &c, 1);
        int found = cases[i].run(c);
        if (c == 'x') return got;
        return found & 0x7f;
    }
    return 200;
}
