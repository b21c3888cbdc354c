// A runtime by hand: speaks the engine's protocol with as little as possible, so that the engine can be tested
// against programs that do not keep to it. The numbers come from wire.h, which the test writes.
#define _GNU_SOURCE
#include "wire.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct node { uint8_t op, aux; uint16_t bits; uint32_t a, b, c; uint64_t value[2]; };
struct input { uint64_t value[2]; uint32_t name; uint16_t name_len; uint8_t kind, c_type; uint32_t element, reserved; };
struct module { uint64_t uid; uint32_t edge_base, edges, function_base, functions, spot_base, spots; };
struct area { uint64_t offset, capacity; };

static char *seg;
static uint64_t seg_bytes;
static uint32_t *cursor, *prefix_end;
static uint32_t nodes = 1;

#define CONTROL(field) (*(volatile uint32_t *)(seg + CONTROL_OFFSET + CONTROL_##field))
#define AREA(name) ((struct area *)(seg + HEADER_##name))
#define HOT(offset) (*(volatile uint64_t *)(seg + HOT_OFFSET + (offset)))

static void wake(volatile uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1 << 30, 0, 0, 0); }

static void attach(void) {
    const char *text = getenv("BOTHWAYS_SEGMENT");
    if (!text) return;
    int fd = atoi(text);
    struct stat st;
    if (fstat(fd, &st)) abort();
    seg_bytes = st.st_size;
    seg = mmap(0, seg_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (seg == MAP_FAILED) abort();
    close(fd);
    unsetenv("BOTHWAYS_SEGMENT");
    cursor = (uint32_t *)(seg + AREA(events)->offset);
    HOT(HOT_EVENTS_START) = (uint64_t)cursor;
    HOT(HOT_CURSOR) = (uint64_t)cursor;
    CONTROL(stage) = 1;
    wake(&CONTROL(stage));
}

static void module(uint64_t uid, uint32_t edges, uint32_t functions, uint32_t spots) {
    struct module *m = (struct module *)(seg + AREA(modules)->offset);
    m[0] = (struct module){uid, 0, edges, 0, functions, 0, spots};
    CONTROL(module_count) = 1;
}

static void word(uint32_t value) {
    *cursor++ = value;
    *cursor = END;
    HOT(HOT_CURSOR) = (uint64_t)cursor;
}
static void event(uint32_t kind, uint32_t payload) { word(kind << 29 | payload); }
enum { EDGE, EDGE_SYM, SWITCH, CALL, RETURN, CONSTRAINT, INPUT, MARK };

static uint32_t node(int op, int bits, uint32_t a, uint32_t b, uint64_t value) {
    struct node *n = (struct node *)(seg + AREA(nodes)->offset) + nodes;
    *n = (struct node){op, 0, bits, a, b, 0, {value, 0}};
    CONTROL(node_count) = nodes + 1;
    return nodes++;
}
enum { CONST = 1, VAR = 2, ADD = 3, EQ = 18, ULT = 19 };

static int32_t input_value(uint32_t index) {
    struct input *in = (struct input *)(seg + AREA(inputs)->offset) + index;
    if (index >= CONTROL(supplied)) in->value[0] = in->value[1] = 0;
    memcpy(seg + AREA(names)->offset, "x", 1);
    in->name = 0, in->name_len = 1, in->kind = 6, in->c_type = 7, in->element = 0xffffffff;
    CONTROL(input_count) = index + 1;
    event(INPUT, index);
    return (int32_t)in->value[0];
}

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

// Becomes the server; returns in each child.
static void serve(void) {
    prefix_end = cursor;
    uint32_t prefix_nodes = nodes, last = CONTROL(request);
    uint32_t timeout = *(uint32_t *)(seg + HEADER_timeout_ms);
    CONTROL(prefix_events) = cursor - (uint32_t *)(seg + AREA(events)->offset);
    CONTROL(stage) = 2;
    wake(&CONTROL(stage));
    for (;;) {
        while (CONTROL(request) == last) syscall(SYS_futex, &CONTROL(request), FUTEX_WAIT, last, 0, 0, 0);
        last = CONTROL(request);
        if (last == 0xffffffff) _exit(0);
        HOT(HOT_CURSOR) = (uint64_t)prefix_end;
        *prefix_end = END;
        CONTROL(node_count) = prefix_nodes;
        CONTROL(input_count) = 0;
        CONTROL(overflow) = CONTROL(stale) = CONTROL(loss_count) = 0;
        uint64_t begin = now_ms();
        pid_t pid = fork();
        if (!pid) {
            setpgid(0, 0);
            return;
        }
        setpgid(pid, pid);
        int status, kind;
        while (waitpid(pid, &status, WNOHANG) != pid) {
            if (now_ms() - begin > timeout) {
                kill(-pid, SIGKILL), kill(pid, SIGKILL);
                waitpid(pid, &status, 0);
                CONTROL(exit_kind) = 2;
                goto done;
            }
            usleep(50);
        }
        kind = WIFEXITED(status) ? 0 : 1;
        CONTROL(exit_kind) = kind;
        CONTROL(exit_value) = kind ? WTERMSIG(status) : WEXITSTATUS(status);
    done:
        CONTROL(done) = last;
        wake(&CONTROL(done));
    }
}
