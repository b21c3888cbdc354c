// ask: 8
// quick: 4
// One expression over everything, deeper each round.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), h = 17;
    for (int i = 0; i < 400; i++) {
        h = (h ^ x) * 2654435761u + (y >> (i & 7)) * h;
        if (h % 1000 == 7) y += h;
    }
    if (h == 0xdeadbeef) return 1;
    return h / 3 == y ? 2 : 0;
}
