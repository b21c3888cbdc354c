/* The printf family's model against the C library, with random formats and arguments: prints the first difference and fails. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "hooks.h"

int __bw_model_snprintf(char *, size_t, const char *, ...);
int __bw_model_sprintf(char *, const char *, ...);
int __bw_model_asprintf(char **, const char *, ...);

static unsigned long state = 88172645463325252ul;
static unsigned long next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static unsigned below(unsigned n) { return (unsigned)(next() % n); }
static int chance(unsigned in) { return below(in) == 0; }

static unsigned long any_number(void) {
  static const unsigned long special[] = {0, 1, 7, 8, 9, 10, 15, 16, 99, 100, 255, 256, 999, 1000, INT_MAX, INT_MIN, UINT_MAX,
    LONG_MAX, LONG_MIN, ULONG_MAX, 9999999999ul, 10000000000ul, 9999999999999999999ul, 10000000000000000000ul};
  if (chance(2)) return special[below(sizeof special / sizeof *special)];
  unsigned long value = next() >> below(64);
  return chance(3) ? 0 - value : value;
}

static void failed(const char *format, int a, const char *x, int b, const char *y) {
  printf("\"%s\" (all symbolic: %d): library %d \"%s\", model %d \"%s\"\n", format, all_symbolic, a, x, b, y);
  exit(1);
}

/* A specification without its conversion character. */
static void begin(char *to, int star, const char *sizes) {
  *to++ = chance(4) ? 'p' : '<';
  *to++ = '%';
  while (chance(3)) *to++ = "-+ #0"[below(5)];
  if (star)
    *to++ = '*';
  else if (chance(2))
    to += sprintf(to, "%u", 1 + below(25));
  if (chance(4)) {
    *to++ = '.';
    if (chance(2)) to += sprintf(to, "%u", below(25));
  }
  *to = 0;
  if (sizes && chance(2)) {
    static const char *const all[] = {"hh", "h", "l", "ll", "j", "z", "t"};
    strcat(to, all[below(7)]);
  }
}

static void check_integers(void) {
  char format[64], x[256], y[256];
  int star = chance(5), width = (int)below(30) - 15;
  unsigned long value = any_number();
  size_t room = chance(4) ? below(12) : sizeof x;
  begin(format, star, "");
  strncat(format, &"diouxX"[below(6)], 1);
  strcat(format, chance(2) ? ">" : "%%");
  memset(x, 1, sizeof x);
  memset(y, 1, sizeof y);
  int a = star ? snprintf(x, room, format, width, value) : snprintf(x, room, format, value);
  int b = star ? __bw_model_snprintf(y, room, format, width, value) : __bw_model_snprintf(y, room, format, value);
  if (a != b || memcmp(x, y, sizeof x)) failed(format, a, x, b, y);
  if (room < sizeof x) return;
  b = star ? __bw_model_sprintf(y, format, width, value) : __bw_model_sprintf(y, format, value);
  if (a != b || memcmp(x, y, sizeof x)) failed(format, a, x, b, y);
}

static void check_others(void) {
  static const char *const strings[] = {"", "a", "hello", "some longer text with % in it", NULL};
  char format[64], x[512], y[512], *z = NULL;
  const char *string = strings[below(5)];
  double real = (double)(long)any_number() / 1000;
  void *pointer = chance(3) ? NULL : (void *)any_number();
  int n1 = -1, n2 = -1, c = (int)below(256);
  begin(format, 0, NULL);
  strcat(format, "s|%5c|%-3c|%n");
  errno = ENOENT;
  int a = snprintf(x, sizeof x, format, string, c, c, &n1);
  int b = __bw_model_snprintf(y, sizeof y, format, string, c, c, &n2);
  if (a != b || n1 != n2 || memcmp(x, y, (size_t)a + 1)) failed(format, a, x, b, y);
  begin(format, 0, NULL);
  strncat(format, &"eEfFgGaA"[below(8)], 1);
  strcat(format, " %m %d %p");
  a = snprintf(x, sizeof x, format, real, c, pointer);
  b = __bw_model_asprintf(&z, format, real, c, pointer);
  if (a != b || strcmp(x, z)) failed(format, a, x, b, z);
  free(z);
  a = snprintf(x, sizeof x, "%2$d %1$s %3$Lf", "a", c, (long double)real);
  b = __bw_model_snprintf(y, sizeof y, "%2$d %1$s %3$Lf", "a", c, (long double)real);
  if (a != b || strcmp(x, y)) failed("%2$d %1$s", a, x, b, y);
  a = snprintf(x, sizeof x, "%.3Lf %9d %ls", (long double)real, c, L"wide");
  b = __bw_model_snprintf(y, sizeof y, "%.3Lf %9d %ls", (long double)real, c, L"wide");
  if (a != b || strcmp(x, y)) failed("%.3Lf %9d %ls", a, x, b, y);
  begin(format, 0, NULL);
  strcat(format, "p");
  a = snprintf(x, sizeof x, format, pointer);
  b = __bw_model_snprintf(y, sizeof y, format, pointer);
  if (!all_symbolic && (a != b || strcmp(x, y))) failed(format, a, x, b, y);
}

int main(void) {
  for (all_symbolic = 0; all_symbolic < 2; all_symbolic++)
    for (int round = 0; round < 200000; round++) {
      check_integers();
      if (round % 8 == 0) check_others();
    }
  return 0;
}
