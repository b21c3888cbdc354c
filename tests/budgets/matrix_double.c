// ask: 6
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double a[6][6], d = 1;
    for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) a[i][j] = __VERIFIER_nondet_double();
    for (int k = 0; k < 6; k++) {
        if (a[k][k] == 0) return 1;
        for (int i = k + 1; i < 6; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 6; j++) a[i][j] -= f * a[k][j];
        }
        d *= a[k][k];
    }
    return d > 1000 ? 2 : d < 0 ? 3 : 0;
}
