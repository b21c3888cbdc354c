// A count in a struct behind a pointer.
int __VERIFIER_nondet_int(void);
struct window { int seen, lost; };
static void take(struct window *w, int v) {
    w->seen++;
    if (v == 0)
        w->lost++;
    else if (v == 77)
        w->lost = 0;
}
int main(void) {
    struct window w = {0, 0};
    int v;
    while ((v = __VERIFIER_nondet_int()) >= 0)
        take(&w, v);
    if (w.lost > 20)
        return 1;
    if (w.seen > 30 && w.lost == 11)
        return 2;
    return 0;
}
