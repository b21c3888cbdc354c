// ask: 6
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong(), c = __VERIFIER_nondet_ulong();
    if (a < 2 || b < 2) return 0;
    if (a * b == 0xfffffffffffffc5UL && a < 1UL << 32 && b < 1UL << 32) return 1;
    for (int i = 0; i < 40; i++) {
        c = c * a + b;
        if (c % (b | 1) == 12345) return 2;
    }
    return c * c * c == a * a + b * b ? 3 : 0;
}
