// ask: 5
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), rounds = 0;
    while (n > 0) { n--; rounds++; }
    if (rounds == 1000) return 1;
    return rounds == 100000 ? 2 : 0;
}
