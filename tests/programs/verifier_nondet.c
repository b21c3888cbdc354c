// The inputs of Test-Comp: __VERIFIER_nondet_*, __VERIFIER_assume and reach_error.
// expect: branches=12/12 infeasible=0
// witness: 5 2 0 1
// witness: 6 2 1 1
// witness: 5 7 100 255
// witness: 5 7 100 1
// witness: 5 7 5 1
// witness: 9 1000 1 0
// witness: 3 1000 1 0
// witness: 3 7 1 255
// witness: 3 7 1 0
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    __VERIFIER_assume(n < 10);
    unsigned long product = 1;
    unsigned long factor = __VERIFIER_nondet_ulong();
    if (__VERIFIER_nondet_bool())
        product = factor * 3;
    unsigned char last = __VERIFIER_nondet_uchar();
    if (product == 21 && last == 255) {
        if (n == 5)
            reach_error();
        return 1;
    }
    return product > 1000 && n > 8;
}
