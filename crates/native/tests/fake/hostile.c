// One program, many sins. Its model: module 0x77, function 0 = main, site 0 = a branch (edges 0 false, 1 true), one spot.
// argv[1] says what it does before its input, argv[2] what every run with input 1 does; other inputs behave.
#include "fake.h"

static const char *early, *late;
static int is(const char *name) { return !strcmp(late, name); }

static void scribble(uint64_t from, uint64_t to, int byte) { memset(seg + from, byte, to - from); }

static void sin_now(void) {
    if (is("scribble-control")) scribble(CONTROL_OFFSET, 8192, 0xff), sleep(1);
    if (is("scribble-hot")) scribble(HOT_OFFSET, HOT_OFFSET + 64, 0x5a);
    if (is("scribble-header")) scribble(0, CONTROL_OFFSET, 0xee);
    if (is("scribble-areas")) scribble(8192, 8192 + (8 << 20), 0xa5);
    if (is("scribble-inputs")) scribble(AREA(inputs)->offset, AREA(inputs)->offset + 65536, 0xff), CONTROL(input_count) = ~0u;
    if (is("scribble-random")) {
        unsigned state = 12345;
        for (uint64_t at = 8192; at < seg_bytes && at < (200u << 20); at += 4096)
            for (int i = 0; i < 1024; i++) ((uint32_t *)(seg + at))[i] = state = state * 1664525 + 1013904223;
        CONTROL(node_count) = CONTROL(input_count) = CONTROL(module_count) = CONTROL(loss_count) = 1000;
        CONTROL(overflow) = 63;
        HOT(HOT_CURSOR) += 4000;
    }
    if (is("done-too-early")) CONTROL(done) = CONTROL(request), wake(&CONTROL(done)), usleep(300000);
    if (is("close-all")) for (int fd = 0; fd < 1024; fd++) close(fd);
    if (is("exit")) _exit(7);
    if (is("abort")) abort();
    if (is("segv")) *(volatile int *)0 = 1;
    if (is("loop")) for (;;) __asm__ volatile("");
    if (is("kill-parent")) kill(getppid(), SIGKILL), sleep(5);
    if (is("stop-parent")) kill(getppid(), SIGSTOP), sleep(5);
    if (is("daemon")) {
        if (!fork()) {
            setsid();
            if (!fork()) sleep(1000);
            _exit(0);
        }
        wait(0);
    }
    if (is("daemon-kill-parent")) {
        if (!fork()) {
            setsid();
            if (!fork()) sleep(1000);
            _exit(0);
        }
        wait(0);
        kill(getppid(), SIGKILL);
        sleep(5);
    }
    if (is("write-file")) {
        int fd = open("left-behind", O_CREAT | O_EXCL | O_WRONLY, 0);
        _exit(fd < 0 ? 9 : 0);
    }
    if (is("write-outside")) {
        int fd = open(getenv("OUTSIDE"), O_CREAT | O_WRONLY, 0600);
        _exit(fd < 0 ? 9 : 0);
    }
    if (is("remove-cwd")) {
        char path[4096];
        _exit(getcwd(path, sizeof path) && !rmdir(path) ? 0 : 9);
    }
    if (is("descriptors")) {
        for (int fd = 3; fd < 1024; fd++) if (fcntl(fd, F_GETFD) != -1) _exit(fd);
        _exit(0);
    }
    if (is("deep")) {
        // A chain of a million additions, so that no reader may recurse.
        uint32_t x = node(VAR, 32, 0, 0, 1), sum = x;
        for (uint32_t i = 2; i < 1000000; i++) sum = node(ADD, 32, sum, x, i);
        uint32_t c = node(CONST, 32, 0, 0, 5);
        uint32_t test = node(EQ, 1, sum, c, 0);
        event(EDGE_SYM, 0), word(test);
    }
    if (is("forward-label")) node(EQ, 1, nodes + 1, nodes, 1), event(EDGE_SYM, 1), word(nodes - 1);
    if (is("bad-edge")) event(EDGE, 1000);
    if (is("half-event")) event(EDGE_SYM, 1);
    if (is("wrong-value")) {
        uint32_t x = node(VAR, 32, 0, 0, 1), c = node(CONST, 32, 0, 0, 1);
        event(EDGE_SYM, 0), word(node(EQ, 1, x, c, 1));
    }
}

int main(int argc, char **argv) {
    early = argc > 1 ? argv[1] : "", late = argc > 2 ? argv[2] : "";
    if (!strcmp(early, "no-attach")) return 5;
    if (!strcmp(early, "no-attach-loop")) for (;;) sleep(1);
    if (!strcmp(early, "complain")) return fputs("cannot do what I should\n", stderr), 3;
    attach();
    if (!seg) return 0;
    if (!strcmp(early, "no-input")) return 4;
    if (!strcmp(early, "crash")) *(volatile int *)0 = 1;
    if (!strcmp(early, "hang")) for (;;) sleep(1);
    if (!strcmp(early, "refuse")) { CONTROL(stage) = 3; return 3; }
    module(0x77, 2, 1, 1);
    event(CALL, 0);
    if (!strcmp(early, "keep-file")) close(open("prefix-file", O_CREAT | O_WRONLY, 0600));
    serve();
    int32_t x = input_value(0);
    if (x == 1) sin_now();
    uint32_t var = node(VAR, 32, 0, 0, (uint32_t)x), seven = node(CONST, 32, 0, 0, 7);
    uint32_t test = node(EQ, 1, var, seven, x == 7);
    event(EDGE_SYM, x == 7), word(test);
    event(RETURN, 0);
    return x == 7 ? 3 : 0;
}
