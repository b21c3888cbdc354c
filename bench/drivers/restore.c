/* What a run costs with and without a fork (docs/decisions/0211): a library to be preloaded into a program that is not
 * instrumented. At the program's first read of standard input it makes RESTORE_RUNS runs of the rest of the program, and
 * prints the processor time of one. RESTORE_MODE says how:
 *   fork     a child for each run, as the fork server does
 *   scan     one process; the kernel says which pages were written to (userfaultfd, PAGEMAP_SCAN: Linux 6.7)
 *   hot      the same, but pages that three runs wrote to are not watched any more, and are copied back after each run
 *   compare  one process; every writable page is compared with its copy
 * It puts back memory, registers and the standard descriptors, nothing else, and knows only programs that return from main
 * or call exit, and that call read of the C library themselves (grep, bc):
 *   clang -O2 -shared -fPIC -o restore.so bench/drivers/restore.c
 *   env RESTORE_MODE=hot RESTORE_RUNS=1500 LD_PRELOAD=./restore.so grep -E 'a[b-d]+c' < text > /dev/zero
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* Of kernel headers newer than Debian 12's. */
#ifndef PAGEMAP_SCAN
struct page_region { unsigned long long start, end, categories; };
struct pm_scan_arg {
    unsigned long long size, flags, start, end, walk_end, vec, vec_len, max_pages;
    unsigned long long category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN _IOWR('f', 16, struct pm_scan_arg)
#define PAGE_IS_WRITTEN 2
#endif
#define WP_UNPOPULATED (1 << 13)
#define WP_ASYNC (1 << 15)

enum { PAGE = 4096, REGIONS = 64, FOUND = 4096, SPARE = 900, HOT = 3 };

struct region {
    unsigned long start, end;
    char *copy;           /* of all of it */
    unsigned char *often; /* for each page, how many runs wrote to it, up to HOT */
};

/* In a shared mapping, which is not put back. */
static struct all {
    char mode;
    int runs, done, length, taken, begun, regions, faultfd, pagemap;
    unsigned long restored;
    double cpu;
    long faults;
    ucontext_t program, own;
    struct region region[REGIONS];
    struct page_region found[FOUND];
    char input[1 << 16], maps[1 << 16], stack[1 << 16];
} *all;

static void die(const char *what) {
    perror(what);
    _exit(9);
}

static double cpu(long *faults) {
    struct rusage own, below;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &below);
    *faults = own.ru_minflt + below.ru_minflt;
    return 1e6 * (own.ru_utime.tv_sec + own.ru_stime.tv_sec + below.ru_utime.tv_sec + below.ru_stime.tv_sec) +
           own.ru_utime.tv_usec + own.ru_stime.tv_usec + below.ru_utime.tv_usec + below.ru_stime.tv_usec;
}

static void finish(void) {
    long faults;
    double used = cpu(&faults) - all->cpu, runs = all->runs;
    char line[200];
    int length = snprintf(line, sizeof line, "%c: %.1f us, %.1f faults, %.1f pages put back\n", all->mode, used / runs,
                          (faults - all->faults) / runs, all->restored / runs);
    if (write(2, line, length) < 0)
        _exit(9);
    _exit(0);
}

static void protect(unsigned long start, unsigned long end) {
    struct uffdio_writeprotect what = {.range = {start, end - start}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    if (ioctl(all->faultfd, UFFDIO_WRITEPROTECT, &what))
        die("write protection");
}

static void put_back(struct region *region, unsigned long page) {
    memcpy((void *)page, region->copy + (page - region->start), PAGE);
    all->restored++;
}

static void compare(struct region *region) {
    for (unsigned long page = region->start; page < region->end; page += PAGE)
        if (memcmp((void *)page, region->copy + (page - region->start), PAGE))
            put_back(region, page);
}

static void put_back_found(struct region *region, int count) {
    for (int i = 0; i < count; i++)
        for (unsigned long page = all->found[i].start; page < all->found[i].end; page += PAGE) {
            unsigned char *often = &region->often[(page - region->start) / PAGE];
            if (*often == HOT)
                continue;
            put_back(region, page);
            if (all->mode != 'h' || ++*often < HOT)
                protect(page, page + PAGE);
        }
}

static void scan(struct region *region) {
    for (unsigned long at = region->start; at < region->end;) {
        struct pm_scan_arg ask = {.size = sizeof ask, .start = at, .end = region->end, .vec = (unsigned long)all->found,
                                  .vec_len = FOUND, .category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN};
        int count = ioctl(all->pagemap, PAGEMAP_SCAN, &ask);
        if (count < 0)
            die("scan");
        put_back_found(region, count);
        at = count < FOUND ? region->end : ask.walk_end;
    }
    for (unsigned long page = region->start; page < region->end; page += PAGE)
        if (region->often[(page - region->start) / PAGE] == HOT)
            put_back(region, page);
}

/* On our own stack, after a run. */
static void next_run(void) {
    for (int i = 0; i < all->regions; i++)
        all->mode == 'c' ? compare(&all->region[i]) : scan(&all->region[i]);
    for (int fd = 0; fd < 3; fd++)
        dup2(SPARE + fd, fd);
    if (++all->done == all->runs)
        finish();
    all->taken = 0;
    setcontext(&all->program);
}

static void at_exit(void) {
    if (!all || !all->begun || all->mode == 'f')
        return;
    getcontext(&all->own);
    all->own.uc_stack.ss_sp = all->stack;
    all->own.uc_stack.ss_size = sizeof all->stack;
    makecontext(&all->own, next_run, 0);
    setcontext(&all->own);
}

__attribute__((constructor)) static void prepare(void) {
    if (!getenv("RESTORE_MODE"))
        return;
    all = mmap(0, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    all->mode = getenv("RESTORE_MODE")[0];
    all->runs = atoi(getenv("RESTORE_RUNS"));
    unsetenv("LD_PRELOAD");
    atexit(at_exit);
}

/* All private writable mappings. */
static void find_regions(void) {
    int fd = open("/proc/self/maps", O_RDONLY), length = 0, got;
    while ((got = syscall(SYS_read, fd, all->maps + length, sizeof all->maps - 1 - length)) > 0)
        length += got;
    close(fd);
    for (char *line = all->maps; *line; line = strchr(line, '\n') + 1) {
        unsigned long start, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, access) != 3 || access[1] != 'w' || access[3] != 'p')
            continue;
        if (all->regions == REGIONS)
            die("too many mappings");
        struct region *region = &all->region[all->regions++];
        *region = (struct region){.start = start, .end = end};
        region->copy = mmap(0, end - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        region->often = mmap(0, end - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
}

static void keep(void) {
    for (int i = 0; i < all->regions; i++) {
        struct region *region = &all->region[i];
        memcpy(region->copy, (void *)region->start, region->end - region->start);
        struct uffdio_register what = {.range = {region->start, region->end - region->start},
                                       .mode = UFFDIO_REGISTER_MODE_WP};
        if (all->mode == 'c')
            continue;
        if (ioctl(all->faultfd, UFFDIO_REGISTER, &what))
            die("registering");
        protect(region->start, region->end);
    }
    all->cpu = cpu(&all->faults);
}

static void begin(void) {
    static volatile int first = 1;
    int got;
    all->begun = 1;
    while ((got = syscall(SYS_read, 0, all->input + all->length, sizeof all->input - all->length)) > 0)
        all->length += got;
    if (all->mode == 'f') {
        all->cpu = cpu(&all->faults);
        for (; all->done < all->runs; all->done++) {
            int child = fork(), status;
            if (child == 0)
                return;
            setpgid(child, child);
            waitpid(child, &status, 0);
        }
        finish();
    }
    for (int fd = 0; fd < 3; fd++)
        dup3(fd, SPARE + fd, O_CLOEXEC);
    all->faultfd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};
    if (all->mode != 'c' && ioctl(all->faultfd, UFFDIO_API, &api))
        die("userfaultfd");
    all->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    find_regions();
    getcontext(&all->program);
    if (first) {
        first = 0;
        keep();
    }
}

ssize_t read(int fd, void *to, size_t most) {
    if (!all || fd != 0)
        return syscall(SYS_read, fd, to, most);
    if (!all->begun)
        begin();
    size_t left = all->length - all->taken;
    most = most < left ? most : left;
    memcpy(to, all->input + all->taken, most);
    all->taken += most;
    return most;
}
