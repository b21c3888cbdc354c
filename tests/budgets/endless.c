// ask: 5
// A reactive program: no end but the runs' limit.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int state = 0;
    for (;;) {
        int x = __VERIFIER_nondet_int();
        if (state == 0 && x == 17) state = 1;
        else if (state == 1 && x == 4711) state = 2;
        else if (state == 2 && x == -9) return 1;
    }
}
