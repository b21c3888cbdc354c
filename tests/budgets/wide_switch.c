// ask: 6
extern unsigned __VERIFIER_nondet_uint(void);
#define C1(n) case n: r += n % 7 == 3 ? 2 : 1; break;
#define C4(n) C1(n) C1(n + 1) C1(n + 2) C1(n + 3)
#define C16(n) C4(n) C4(n + 4) C4(n + 8) C4(n + 12)
#define C64(n) C16(n) C16(n + 16) C16(n + 32) C16(n + 48)
#define C256(n) C64(n) C64(n + 64) C64(n + 128) C64(n + 192)
int main(void) {
    unsigned r = 0;
    for (int i = 0; i < 60; i++) {
        switch (__VERIFIER_nondet_uint()) { C256(0) C256(256) C256(512) C256(768) default: r *= 2; }
        if (r == 1000) return 1;
    }
    return 0;
}
