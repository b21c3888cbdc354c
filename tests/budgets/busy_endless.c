// ask: 5
// Each run takes its whole time.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    volatile int turn = 0;
    for (;;) if (x == turn++) turn = 1;
}
