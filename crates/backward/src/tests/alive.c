#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static int state;
static int never(int a) { return a > 3 ? 1 : 2; }
static void stop(int a) { if (a) exit(a); }
static int twice(int a, int b) {
  if (a > 2 && b > 1) {
    if (a > 3 || b == 2) return 1;
    if (b < 4) return 2;
  }
  return 0;
}
static int levels(int a) {
  switch (a & 7) {
  case 0: return 1;
  case 5: return 2;
  default: return 3;
  }
}
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), sum = 0;
  for (int i = 0; i < 3; i++) {
    state = state == 0 ? 1 : state == 1 ? 2 : 0;
    if (state == 2) sum += never(a);
    if (state < 2 && sum >= b) sum += levels(a);
  }
  sum += twice(a, b);
  if (sum > 10) {
    while (a > 0 && a < 9) a += b;
    stop(a);
    sum++;
  }
  if (a == 3 || a == 4) {
    if (a > 3) sum--;
    if (a != 3 && b != 4) sum++;
  }
  if (a == 1) sum += a > 2;
  if (a == 1 && a == 2) sum++;
  return sum > 3;
}
