/* The interface by hand, for drivers that stand in for instrumented programs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum { ADD = 3, AND = 10, ICMP_EQ = 32, ICMP_SLT = 40, ZEXT = 23 };

struct module { u64 uid; u32 edges, functions, spots, edge_base, function_base, spot_base; void *globals; u64 count, library; };

void __bw_register(void *);
void __bw_event(u32);
void __bw_branch(u32 edge, u32 label, u32 c, u32 pred_bits, u64 a, u64 b);
u32 __bw_bin(u32, u32, u64, u32, u64, u64);
u32 __bw_icmp(u32, u32, u64, u32, u64, u32);
u32 __bw_cast(u32, u32, u32, u64, u64);
u32 __bw_index(u32, u32, u64, u32, u64, u64, u64);
u32 __bw_load(u32, u32, u64, u32, u64, u64, u64, u64);
void __bw_store(u32, u32, u64, u32, u32, u64, u64);
u32 __bw_enter(void *);
u32 __bw_result(void *);

struct hot { u64 cursor, limit, callee, returned, start, watch; u32 args[64], results[16], symbolic, library_call; };
extern struct hot __bw_hot;

/* An event as inline code writes it. */
static inline void event(u32 word) {
  if (__bw_hot.cursor >= __bw_hot.limit) {
    __bw_event(word);
    return;
  }
  *(u32 *)__bw_hot.cursor = word;
  __bw_hot.cursor += 4;
}

static inline u32 load_int(int *p) { return __bw_load(1, 0, (u64)p, 4, (u32)*p, 0, 0, 0); }

/* if (x == k): edges 2k and 2k+1. */
static inline int branch_eq(u32 edge, u32 label, int x, int k) {
  u32 c = __bw_icmp(ICMP_EQ | 32 << 16, label, (u32)x, 0, (u32)k, x == k);
  if (c)
    __bw_branch(edge + (x == k), c, x == k, 0, 0, 0);
  else
    event(edge + (x == k));
  return x == k;
}

/* The label of the result of the last call of f. */
static inline u32 result_of(void *f) {
  if (!__bw_hot.returned) return 0;
  return __bw_result(f) ? __bw_hot.results[0] : 0;
}

/* Labels of the arguments of a call of f. */
static inline void pass(void *f, u32 a, u32 b, u32 c) {
  __bw_hot.args[0] = a;
  __bw_hot.args[1] = b;
  __bw_hot.args[2] = c;
  __bw_hot.callee = (u64)f;
}

static struct { u64 address, bytes; } globals[4];
static struct module module = {0x1234, 100, 10, 10, 0, 0, 0, globals, 0, 0};
__attribute__((constructor(101))) static void start(void) { __bw_register(&module); }
