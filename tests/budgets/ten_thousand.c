// ask: 10
// 10,000 branches.
extern unsigned __VERIFIER_nondet_uint(void);
#define B(i) if ((x ^ (i) * 2654435761u) % (3 + (i) % 97) == (i) % 3) r += (i) % 5 + 1;
#define B10(i) B(i) B(i + 1) B(i + 2) B(i + 3) B(i + 4) B(i + 5) B(i + 6) B(i + 7) B(i + 8) B(i + 9)
#define F(k) \
    static unsigned f##k(unsigned x) { \
        unsigned r = 0; \
        B10(k * 100) B10(k * 100 + 10) B10(k * 100 + 20) B10(k * 100 + 30) B10(k * 100 + 40) \
        B10(k * 100 + 50) B10(k * 100 + 60) B10(k * 100 + 70) B10(k * 100 + 80) B10(k * 100 + 90) \
        return r; \
    }
#define EACH(M) \
    M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) \
    M(17) M(18) M(19) M(20) M(21) M(22) M(23) M(24) M(25) M(26) M(27) M(28) M(29) M(30) M(31) M(32) \
    M(33) M(34) M(35) M(36) M(37) M(38) M(39) M(40) M(41) M(42) M(43) M(44) M(45) M(46) M(47) M(48) M(49)
EACH(F)
#define CALL(k) r += f##k(x + y * k);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), r = 0;
    EACH(CALL)
    return r == 777;
}
