// ask: 5
extern int __VERIFIER_nondet_int(void);
static long moves;
static void hanoi(int n, int from, int to) {
    if (n <= 0) return;
    hanoi(n - 1, from, 6 - from - to);
    moves++;
    hanoi(n - 1, 6 - from - to, to);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 17) return 1;
    hanoi(n, 1, 2);
    return moves == 4095 ? 2 : 0;
}
