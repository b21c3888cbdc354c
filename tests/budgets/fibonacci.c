// ask: 5
extern int __VERIFIER_nondet_int(void);
static int fib(int n) {
    if (n < 1) return 0;
    if (n == 1) return 1;
    return fib(n - 1) + fib(n - 2);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 25) return 3;
    return fib(n) == 610 ? 1 : 0;
}
