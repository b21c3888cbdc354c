// run:
// run: a
// run: a b
// run: a b c
// run: a b c d
// run: a b c d e f g h i j k l m n
#include <stdio.h>
enum colour { RED, GREEN, BLUE };
static int with_default(int b)
{
    int r = 0;
    switch (b) { case 1: r = 3; case 2: case 3: r += 5; break; default: r = 1; case 9: r++; break; case 10: return 7; }
    return r;
}
static int implicit(int a)
{
    int r = 0;
    switch (a) { case 1: r = 3; break; case 5: r = 6; }
    switch (a + 1) { case 2: { if (a) r++; } case 4: ; }
    switch (a * 2) { }
    switch (a) { default: r++; }
    return r;
}
static int ranges(int a)
{
    switch (a) {
    case 0 ... 2: return 1;
    case 3 ... 100: return 2;
    case 1000: return 3;
    default: return 4;
    }
}
static int ranges_without_default(int a)
{
    int r = 0;
    switch (a) {
    case 0 ... 2: r = 1; break;
    case 6 ... 1000: r = 2;
    }
    return r;
}
static int constant(void)
{
    int r = 0;
    switch (3) { case 1: r = 1; break; case 3: r = 2; break; default: r = 4; }
    switch (sizeof(int)) { case 8: r++; }
    return r;
}
static int enums(enum colour c)
{
    switch (c) { case RED: return 1; case GREEN: return 2; case BLUE: return 3; }
    return 4;
}
static int device(int n)
{
    int r = 0, i = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { r++;
    case 3:      r += 2;
    case 2:      r += 3;
    case 1:      r += 4;
            } while (--i > 0);
    }
    return r;
}
static int loop(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (i) {
        case 0: continue;
        case 1: case 4: r++; break;
        case 2: if (n == 5) return r; else break;
        case 7: goto out;
        default: switch (i & 1) { case 0: r += 2; break; case 1: r += 3; }
        }
        r++;
    }
out:
    return r;
}
static int wide(long long a, unsigned char c)
{
    int r = 0;
    switch (a) { case 1LL << 40: r = 1; break; case -1: r = 2; break; }
    switch (c) { case 'a': r++; break; case 255: r--; break; default: break; }
    switch (a && c) { case 0: r++; }
    switch (a > 2) { case 1: r += 2; break; default: r += 4; }
    return r;
}
int main(int argc, char **argv)
{
    int r = 0;
    for (int i = 0; i < argc; i++)
        r += with_default(i) + implicit(i) + ranges(i) + ranges_without_default(i) + enums(i) + device(i + 1) + wide(i, i);
    printf("%d\n", r + constant() + loop(argc));
    return 0;
}
