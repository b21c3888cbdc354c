#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static int state;
static int never(int a) { return a > 3 ? 1 : 2; }
static void stop(int a) { if (a) exit(a); }
static int twice(int a, int b) {
  if (a > 5 && b > 5) {
    if (a > 3 || b == 2) return 1;
    if (b < 4) return 2;
  }
  return 0;
}
static int levels(int a) {
  switch (a & 3) {
  case 0: return 1;
  case 5: return 2;
  default: return 3;
  }
}
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), sum = 0;
  for (int i = 0; i < 3; i++) {
    state = state == 0 ? 1 : 0;
    if (state == 2) sum += never(a);
    if (state < 2 && sum >= 0) sum += levels(a);
  }
  sum += twice(a, b);
  if (sum > 1000) {
    while (a > 0 && a < 0) sum++;
    stop(1);
    sum++;
  }
  if (a == 3 || a == 4) {
    if (a > 9) sum--;
    if (a != 3 && a != 4) sum++;
  }
  return sum > 3;
}
