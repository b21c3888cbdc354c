// ask: 10
// quick: 10
// Half a million decisions on a path.
extern int __VERIFIER_nondet_int(void);
static int gcd(int a, int b) {
    if (a == b) return a;
    if (a > b) return gcd(a - b, b);
    return gcd(a, b - a);
}
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a <= 0 || b <= 0) return 0;
    int g = gcd(a, b);
    if (g > 1 && a % g != 0) return 1;
    return g == 7 ? 2 : 0;
}
