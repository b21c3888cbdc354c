/* strtod's models against the C library, bit by bit, with random texts: prints the first difference and fails. */
#define _GNU_SOURCE
#include "hooks.h"
#include <errno.h>
#include <stdlib.h>
#include <wchar.h>

double __bw_model_wcstod(const wchar_t *, wchar_t **);
long __bw_model_wcstol(const wchar_t *, wchar_t **, int);
double __bw_model_strtod(const char *, char **);
float __bw_model_strtof(const char *, char **);
long double __bw_model_strtold(const char *, char **);
double __bw_model_atof(const char *);

static unsigned long state = 88172645463325252ul;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state % n);
}

static void digits(char **to, unsigned most) {
  unsigned n = below(most);
  while (n-- > 0) *(*to)++ = (char)('0' + (below(4) ? below(10) : 0));
}

int main(void) {
  for (int round = 0; round < 1000000; round++) {
    char text[128], *to = text, *end1, *end2;
    static const char *const special[] = {"inf", "nan", "0x1.8p3", "infinity", "nan(1)", ".", "e5", "0x", "1e", "1e+", "-.e"};
    if (below(9) == 0) *to++ = " \t\n"[below(3)];
    if (below(3) == 0) *to++ = "+-"[below(2)];
    if (below(12) == 0) {
      to = stpcpy(to, special[below(11)]);
    } else {
      digits(&to, below(9) ? 10 : 26);
      if (below(2)) {
        *to++ = '.';
        digits(&to, below(9) ? 8 : 26);
      }
      if (below(3) == 0) {
        *to++ = "eE"[below(2)];
        if (below(2)) *to++ = "+-"[below(2)];
        digits(&to, below(9) ? 3 : 7);
      }
    }
    if (below(4) == 0) *to++ = "xz-.e"[below(5)];
    *to = 0;
    errno = 0;
    double a = strtod(text, &end1);
    int error = errno;
    errno = 0;
    double b = __bw_model_strtod(text, &end2);
    if (memcmp(&a, &b, sizeof a) || end1 != end2 || errno != error) {
      printf("strtod(\"%s\"): library %a, %td read, errno %d; model %a, %td, %d\n", text, a, end1 - text, error, b, end2 - text, errno);
      return 1;
    }
    long double l = strtold(text, &end1), m = __bw_model_strtold(text, &end2);
    if (memcmp(&l, &m, 10) || end1 != end2) {
      printf("strtold(\"%s\"): library %La, model %La\n", text, l, m);
      return 1;
    }
    float f = strtof(text, &end1), g = __bw_model_strtof(text, &end2);
    if (memcmp(&f, &g, sizeof f) || end1 != end2) {
      printf("strtof(\"%s\"): library %a, model %a\n", text, f, g);
      return 1;
    }
    wchar_t wide[128], *wide1, *wide2;
    for (size_t i = 0; i <= strlen(text); i++) wide[i] = text[i];
    b = __bw_model_wcstod(wide, &wide2);
    long x = wcstol(wide, &wide1, 10), y = __bw_model_wcstol(wide, &wide2, 10);
    if (memcmp(&a, &b, sizeof a) || x != y || wide1 != wide2) {
      printf("wide \"%s\": library %a %ld, model %a %ld\n", text, a, x, b, y);
      return 1;
    }
    b = __bw_model_atof(text);
    if (memcmp(&a, &b, sizeof a)) return 2;
  }
  return 0;
}
