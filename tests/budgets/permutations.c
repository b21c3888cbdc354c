// ask: 5
extern int __VERIFIER_nondet_int(void);
static int used[9], order[9], found;
static void put(int at, int limit) {
    if (at == 9) { found += order[0] < limit; return; }
    for (int i = 0; i < 9; i++) {
        if (used[i]) continue;
        used[i] = 1;
        order[at] = i + limit;
        if (order[at] != 5) put(at + 1, limit);
        used[i] = 0;
    }
}
int main(void) {
    put(0, __VERIFIER_nondet_int());
    return found > 1000 ? 1 : 0;
}
