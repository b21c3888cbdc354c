int __VERIFIER_nondet_int(void);
static int known;
int main(void) {
  int b = __VERIFIER_nondet_int();
  known = __VERIFIER_nondet_int();
  if (known > 5) {
    b++;
    if (known > 3 || b == 2) return 1;
  }
  return 0;
}
