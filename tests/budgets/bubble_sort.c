// ask: 6
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[120];
    for (int i = 0; i < 120; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 120; i++)
        for (int j = 0; j + 1 < 120 - i; j++)
            if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
    return a[0] == 5 && a[119] == 77 ? 1 : 0;
}
