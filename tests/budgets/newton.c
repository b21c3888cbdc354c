// ask: 6
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double(), r = x;
    if (!(x > 0)) return 0;
    for (int i = 0; i < 2000; i++) {
        double next = (r + x / r) / 2;
        if (next == r) return i > 40 ? 1 : 2;
        r = next;
    }
    return 3;
}
