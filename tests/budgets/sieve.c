// ask: 5
extern int __VERIFIER_nondet_int(void);
int main(void) {
    static char composite[100001];
    int n = __VERIFIER_nondet_int(), primes = 0;
    if (n < 2 || n > 100000) return 0;
    for (int i = 2; i <= n; i++) {
        if (composite[i]) continue;
        primes++;
        for (int j = i + i; j <= n; j += i) composite[j] = 1;
    }
    return primes == 168 ? 1 : primes > 9000 ? 2 : 0;
}
