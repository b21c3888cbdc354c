// ask: 10
// quick: 5
// 100,000 rounds with two float inputs each.
extern float __VERIFIER_nondet_float(void);
int main(void) {
    float sum = 0;
    int high = 0;
    for (int i = 0; i < 100000; i++) {
        float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
        if (a > b) sum += a * b;
        if (sum > 1e6f) high++;
    }
    return high > 3 ? 1 : sum < -5.0f ? 2 : 0;
}
