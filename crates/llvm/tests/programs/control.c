// Control: switches with shared and ranged cases, computed goto, short circuits, conditional values, loops of each kind.
#include <stdio.h>

static int cases(unsigned x) {
  switch (x) {
  case 0: return 5;
  case 1:
  case 2: x += 3;
  case 9: x *= 2; break;
  case 100 ... 120: return 77;
  default: x--;
  }
  return x;
}

static int jump(int x) {
  static void *labels[] = {&&a, &&b, &&c};
  goto *labels[x % 3];
a: return 1;
b: x += 2; goto *labels[(x + 1) % 3];
c: return x;
}

static int conditions(int a, int b, int c) { return a ? b : (c && b) || a; }
static int wide(unsigned long long x) { switch (x) { case 1ull << 40: return 1; case ~0ull: return 2; } return 3; }

static int loops(int n) {
  int s = 0, i = 0;
  do { s += i; if (s > 40) break; i++; } while (i < n);
  for (;;) { if (++i > 20) break; if (i & 1) continue; s ^= i; }
  while (n-- > 0) s += n & 1 ? 3 : 5;
  return s;
}

static int collatz(int n) { return n == 1 ? 0 : 1 + collatz(n & 1 ? 3 * n + 1 : n / 2); }

int main(int argc, char **argv) {
  for (int i = 0; i < 130; i += 7) printf("%d ", cases(i));
  printf("%d %d %d\n", cases(1), cases(2), cases(9));
  printf("%d %d %d\n", jump(0), jump(1), jump(5));
  printf("%d %d %d %d\n", conditions(argc, 2, 3), conditions(0, 0, 3), conditions(0, 4, 3), conditions(0, 4, 0));
  printf("%d %d %d\n", wide(1ull << 40), wide(~0ull), wide(argc));
  printf("%d %d %d\n", loops(3), loops(30), collatz(27));
  return 3;
}
