// Scalars: wide and odd widths, bit-fields, overflow, shifts, divisions, floats, long double, vectors, atomics, assembly.
#include <math.h>
#include <stdio.h>

typedef int four __attribute__((vector_size(16)));
static struct { unsigned a : 3; int b : 5; unsigned long long c : 40; } fields;

static __int128 wide(__int128 a, int s) { return (a << s) ^ (a * a) / (s + 1) ^ (a >> 5); }
static long double extended(long double x) { return x * 1.5L + 1; }
static int vector(int k) { four a = {1, 2, 3, k}, b = a + a; int s = 0; for (int i = 0; i < 4; i++) s += b[i]; return s; }
static float single(float a) { return a * 3.3f - (int)a; }

int main(int argc, char **argv) {
  __int128 w = wide(((__int128)123456789012345ull << 40) | 99, 7);
  printf("%llx %llx\n", (unsigned long long)(w >> 64), (unsigned long long)w);
  fields.a = 9; fields.b = -3; fields.c = 0x123456789aull;
  printf("%d %d %llx\n", fields.a, fields.b, (unsigned long long)fields.c);
  printf("%Lg %d %g\n", extended(3), vector(5), single(2.75f));
  int o;
  printf("%d", __builtin_add_overflow(0x7fffffff, argc, &o));
  printf(" %d %d %d %d %d\n", o, __builtin_popcount(argc + 254), __builtin_clz(argc + 5), __builtin_bswap32(argc), __builtin_ffs(argc * 8));
  double d = argc * 2.75;
  printf("%g %g %g %g %d %u %d\n", floor(d), fabs(-d), sqrt(d), fmin(d, 1) + copysign(d, -1), (int)d, (unsigned)d, d < 3);
  int a = 3; _Atomic int b = 1;
  b += 4; a += b;
  __atomic_fetch_or(&a, 8, __ATOMIC_SEQ_CST);
  int expected = 8 | 3 | 5;
  __atomic_compare_exchange_n(&a, &expected, 77, 0, 5, 5);
  asm volatile("addl $1,%0" : "+r"(a));
  printf("%d\n", a);
  printf("%d %d %u %ld %d\n", argc << 7, -7 / (argc + 1), 7u % (argc + 2), -1l >> (argc & 63), (signed char)(argc + 200));
  _Bool t = argc > 3;
  printf("%d %d\n", t, t ^ 1);
  return 0;
}
