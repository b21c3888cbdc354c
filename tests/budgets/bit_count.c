// ask: 5
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned bits = 0;
    for (int i = 0; i < 2000; i++) {
        unsigned x = __VERIFIER_nondet_uint();
        for (; x; x &= x - 1) bits++;
    }
    return bits == 31 ? 1 : bits > 40000 ? 2 : 0;
}
