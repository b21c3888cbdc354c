// ask: 5
extern int __VERIFIER_nondet_int(void);
static int depth;
static int ack(int m, int n) {
    if (++depth > 100000) return 0;
    if (m == 0) return n + 1;
    if (n == 0) return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}
int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > 3 || n < 0 || n > 23) return 0;
    int r = ack(m, n);
    if (m < 2 || r >= 4) return 0;
    return 1;
}
