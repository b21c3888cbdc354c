// run:
// run: a
// run: a b c
// run: a b c d e f g h i
#include <stdio.h>
static int loops(int n, int m)
{
    int r = 0;
    while (n > 0) { n--; if (m == n) break; r++; }
    do { m++; if (m == 7) continue; r += m; } while (m < 10);
    do r++; while (0);
    do { if (r == 4) break; r++; } while (r & 3);
    for (int i = 0; i < 3; i++) { if (i == m) continue; r += i; }
    for (int i = 0; ; i++) { if (i > r) break; if (i > 10) return r; }
    for (;;) { if (r++ > 20) break; }
    while (1) { if (r > 30 && m) break; r += 2; if (r == 29) goto out; }
    for (int i = 0, j = 9; i < j && r; i++, j--) r ^= i * j;
    while (n++ < 3) for (int k = 0; k < n; k++) while (k == 1) { r++; break; }
out:
    return r;
}
static int deep(int n)
{
    int r = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) {
            if (b == 2) continue;
            for (int c = b; c > 0; c--) {
                if (c == 3) goto next;
                do { r++; if (r % 5 == 0) break; } while (r % 3 && c);
            }
        next:;
        }
    return r;
}
int main(int argc, char **argv)
{
    printf("%d %d\n", loops(argc, argc - 2), deep(argc));
    return 0;
}
