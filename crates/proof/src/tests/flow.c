int __VERIFIER_nondet_int(void);
static int state;
static int limit = 3;
static int step(int by) { state += by; return state; }
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a > 5) {
    if (a > 3) b++;
    if (a == 4 && b) b--;
  }
  if ((a > 1 && b > 1) || a > 7) b = 2;
  step(1);
  if (state > limit) return 9;
  if (state == 1) return step(2);
  return b;
}
