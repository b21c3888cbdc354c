/* Head of the runtime stub of tests/instrument.rs. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct { unsigned *cursor, *limit; void *callee, *returned; unsigned long start; unsigned args[64], results[16]; char rest[4096 - 40 - 320]; }
    __bw_hot __attribute__((aligned(4096)));
struct module { unsigned long uid; unsigned edges, functions, spots, bases[3]; unsigned long (*globals)[2]; unsigned long count; };
static unsigned events[1 << 16];

static void mark(unsigned long address, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; i++)
    *(unsigned *)(SHADOW | (((address + i) & ((1ul << 42) - 1)) << 2)) = 1;
}

static void register_module(struct module *m) {
  static int mapped;
  if (!mapped++) {
    if (mmap((void *)SHADOW, 1ul << 44, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
      perror("mmap");
      exit(99);
    }
    __bw_hot.cursor = events;
    __bw_hot.limit = events + (1 << 16) - 8;
    if (NOISE) mark((unsigned long)__builtin_frame_address(0) - (1 << 18), (1 << 18) + 512);
  }
  for (unsigned long i = 0; NOISE && i < m->count; i++) mark(m->globals[i][0], m->globals[i][1]);
}

