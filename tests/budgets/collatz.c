// ask: 5
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    int steps = 0;
    while (n > 1 && steps < 200000) {
        if (n % 2) n = 3 * n + 1; else n /= 2;
        steps++;
    }
    return steps == 111 ? 1 : steps > 300 ? 2 : 0;
}
