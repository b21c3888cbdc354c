// ask: 6
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    static int a[4096];
    for (int i = 0; i < 200; i++) {
        unsigned k = __VERIFIER_nondet_uint() % 4096;
        a[k] += i;
        if (a[k * 7 % 4096] > 300) return 1;
    }
    return a[17] == 5 ? 2 : 0;
}
