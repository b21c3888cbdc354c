// ask: 6
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double(), p = 0;
    for (int i = 0; i < 30; i++) p = p * x + i * 0.25;
    if (p == 3.5) return 1;
    if (p < -1e30) return 2;
    return p != p ? 3 : 0;
}
