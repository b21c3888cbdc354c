/* sscanf's model against the C library: prints the first difference and fails. */
#include "hooks.h"
#include <stdlib.h>
#include <string.h>

int __bw_model_sscanf(const char *, const char *, ...);

static const char *const texts[] = {"", " ", "12", "-7 x", "+3,4", "0x1F", "0x", "017", "abc", "  12  34  ", "99999999999",
  "99999999999999999999999", "-99999999999999999999999", "1.5", "-2.5e3z", ".5", "1e", "1e+", "2e+x", "1e5", "inf", "-Infinity", "infi", "NaN", "in", "12:34", "%5", "a b c", "hello world",
  "9-8", "-", "+", "- 1", "0", "00012", "4294967295", "18446744073709551616", "x=3", "0b1", "\t\n5", "12abc", "08",
  "-0x1f", "+0X2g", "-0", "00x1", "0xg", "0 x1", "0f0x1", "+", "-x1", "0000000000000000001x", "-0x"};
static const char *const integers[] = {"%d", "%i", "%u", "%x", "%o", "%2d", "%1d", "%3i", " %d", "%d%d", "%d,%d", "%d:%d",
  "%*d%d", "x=%d", "%%%d", "%d%n", "%3x%d", "%2x", "%x%x", "%1x%x", "%2x%2x", "%3x%n", "%i%x"};
static const char *const strings[] = {"%s", "%3s", "%c", "%2c", "%[a-z]", "%[^ ]", "%*s%s", "%s%s", "%[0-9]%s", " %c%c",
  "%[]a]", "%5[^,]"};

int main(void) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    for (size_t j = 0; j < sizeof integers / sizeof *integers; j++) {
      int a[2] = {-99, -98}, b[2] = {-99, -98};
      int m = sscanf(texts[i], integers[j], a, a + 1), n = __bw_model_sscanf(texts[i], integers[j], b, b + 1);
      if (m != n || memcmp(a, b, sizeof a)) {
        printf("\"%s\" \"%s\": library %d (%d %d), model %d (%d %d)\n", texts[i], integers[j], m, a[0], a[1], n, b[0], b[1]);
        return 1;
      }
    }
    for (size_t j = 0; j < sizeof strings / sizeof *strings; j++) {
      char a[2][64], b[2][64];
      memset(a, '#', sizeof a);
      memset(b, '#', sizeof b);
      int m = sscanf(texts[i], strings[j], a[0], a[1]), n = __bw_model_sscanf(texts[i], strings[j], b[0], b[1]);
      if (m != n || memcmp(a, b, sizeof a)) {
        printf("\"%s\" \"%s\": library %d (%.8s), model %d (%.8s)\n", texts[i], strings[j], m, a[0], n, b[0]);
        return 1;
      }
    }
    long x = -1, y = -1;
    float f = -1, g = -1;
    if (strpbrk(texts[i], "xXb") == NULL && (sscanf(texts[i], "%3f", &f) != __bw_model_sscanf(texts[i], "%3f", &g) ||
        memcmp(&f, &g, sizeof f))) {
      printf("\"%s\" %%3f: library %g, model %g\n", texts[i], f, g);
      return 1;
    }
    double d = -1, e = -1;
    int m = sscanf(texts[i], "%ld", &x), n = __bw_model_sscanf(texts[i], "%ld", &y);
    int p = sscanf(texts[i], "%lf", &d), q = __bw_model_sscanf(texts[i], "%lf", &e);
    if (m != n || x != y) {
      printf("\"%s\" %%ld: library %d %ld, model %d %ld\n", texts[i], m, x, n, y);
      return 1;
    }
    if (strpbrk(texts[i], "xXb") == NULL && (p != q || memcmp(&d, &e, sizeof d))) {
      printf("\"%s\" %%lf: library %d %g, model %d %g\n", texts[i], p, d, q, e);
      return 1;
    }
  }
  return 0;
}
