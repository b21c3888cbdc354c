// ask: 6
extern long __VERIFIER_nondet_long(void);
int main(void) {
    long x = __VERIFIER_nondet_long(), y = __VERIFIER_nondet_long();
    for (int i = 0; i < 60; i++) {
        if (y == 0) return 1;
        long q = x / y, r = x % y;
        if (q == 1234567) return 2;
        x = y + (q ^ i);
        y = r;
    }
    return 3;
}
