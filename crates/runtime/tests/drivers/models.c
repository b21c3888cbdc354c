/* The models against the C library, natively: prints the first difference and fails. */
#include "hooks.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTERS(X) \
  X(isalnum) X(isalpha) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) X(ispunct) X(isspace) X(isupper) \
  X(isxdigit) X(tolower) X(toupper)
#define DECLARE(name) int __bw_model_##name(int);
CHARACTERS(DECLARE)
long __bw_model_strtol(const char *, char **, int);
unsigned long __bw_model_strtoul(const char *, char **, int);
int __bw_model_atoi(const char *);
int __bw_model_abs(int);
long __bw_model_labs(long);
char *__bw_model_strpbrk(const char *, const char *);
char *__bw_model_strstr(const char *, const char *);
char *__bw_model_strtok(char *, const char *);
char *__bw_model_strsep(char **, const char *);
void __bw_model_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *__bw_model_bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));

#define EXPECT(condition, ...) \
  do { \
    if (!(condition)) { \
      printf("line %d: ", __LINE__); \
      printf(__VA_ARGS__); \
      printf("\n"); \
      exit(1); \
    } \
  } while (0)

static char trace[2][65536];
static size_t traced[2];
static int which;

static int compare(const void *a, const void *b) {
  int x = ((const int *)a)[0], y = ((const int *)b)[0];
  traced[which] += (size_t)sprintf(trace[which] + traced[which], "%d:%d ", x, y);
  return (x / 4 > y / 4) - (x / 4 < y / 4);
}

static void conversions(void) {
  static const char *const texts[] = {"", " ", "0", "-", "+", "-0", "0x", "0x1f", "0X1Fg", "  12abc", "-17", "+5",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "-18446744073709551615", "99999999999999999999999", "0777", "08", "z", "Zz", "\t\n\v\f\r 7",
    "0b11", "7fffffffffffffff", "ffffffffffffffff", "10000000000000000", "- 1", "--1", "1y2p0ij32e8e7", "1y2p0ij32e8e8", "-0x1f",
    "+0X2g", "0xg", "00x1", "-0b1", "0b2", "0b", "x1", "-0x"};
  static const int bases[] = {0, 2, 8, 10, 16, 36, 1, 37, -1};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (size_t j = 0; j < sizeof bases / sizeof *bases; j++) {
      char *end1 = (char *)1, *end2 = (char *)1;
      errno = 0;
      long a = strtol(texts[i], &end1, bases[j]);
      int e = errno;
      errno = 0;
      long b = __bw_model_strtol(texts[i], &end2, bases[j]);
      EXPECT(a == b && e == errno && end1 == end2, "strtol(\"%s\", %d): %ld %ld errno %d %d end %p %p", texts[i], bases[j], a,
        b, e, errno, end1, end2);
      errno = 0;
      unsigned long c = strtoul(texts[i], &end1, bases[j]);
      e = errno;
      errno = 0;
      unsigned long d = __bw_model_strtoul(texts[i], &end2, bases[j]);
      EXPECT(c == d && e == errno && end1 == end2, "strtoul(\"%s\", %d): %lu %lu", texts[i], bases[j], c, d);
      EXPECT(atoi(texts[i]) == __bw_model_atoi(texts[i]), "atoi(\"%s\")", texts[i]);
    }
}

static void strings(void) {
  static const char *const texts[] = {"", "a", "ab", "abcabd", "aaab", "hello, world", ",,x,,y,", "ab ab"};
  static const char *const sets[] = {"", "a", "ba", "abd", ", ", "aab", "world", "xyz"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (size_t j = 0; j < sizeof sets / sizeof *sets; j++) {
      const char *s = texts[i], *t = sets[j];
      EXPECT(strpbrk(s, t) == __bw_model_strpbrk(s, t), "strpbrk(%s, %s)", s, t);
      EXPECT(strstr(s, t) == __bw_model_strstr(s, t), "strstr(%s, %s)", s, t);
      char a[64], b[64];
      strcpy(a, s);
      strcpy(b, s);
      char *p = strtok(a, t), *q = __bw_model_strtok(b, t);
      for (int n = 0; n < 9; n++) {
        EXPECT((!p && !q) || (p && q && p - a == q - b && !strcmp(p, q)), "strtok(%s, %s)", s, t);
        p = strtok(NULL, t);
        q = __bw_model_strtok(NULL, t);
      }
      strcpy(a, s);
      strcpy(b, s);
      p = a;
      q = b;
      for (int n = 0; n < 9; n++) {
        char *x = strsep(&p, t), *y = __bw_model_strsep(&q, t);
        EXPECT((!x && !y) || (x && y && x - a == y - b && !strcmp(x, y)), "strsep(%s, %s)", s, t);
      }
    }
}

static void sorting(void) {
  for (unsigned n = 0; n < 40; n++) {
    int a[40][2], b[40][2];
    unsigned seed = n * 77 + 1;
    for (unsigned i = 0; i < n; i++) {
      seed = seed * 1103515245 + 12345;
      a[i][0] = b[i][0] = (int)(seed >> 16 & 31);
      a[i][1] = b[i][1] = (int)i;
    }
    traced[0] = traced[1] = 0;
    trace[0][0] = trace[1][0] = 0;
    which = 0;
    qsort(a, n, sizeof *a, compare);
    int key = 9;
    void *found = bsearch(&key, a, n, sizeof *a, compare);
    which = 1;
    __bw_model_qsort(b, n, sizeof *b, compare);
    void *modelled = __bw_model_bsearch(&key, b, n, sizeof *b, compare);
    EXPECT(!memcmp(a, b, n * sizeof *a), "qsort of %u: another order", n);
    EXPECT(!strcmp(trace[0], trace[1]), "qsort and bsearch of %u: other pairs\n%s\n%s", n, trace[0], trace[1]);
    EXPECT((!found && !modelled) || (char *)found - (char *)a == (char *)modelled - (char *)b, "bsearch of %u", n);
  }
}

int main(void) {
  for (int c = -1; c < 256; c++) {
#define COMPARE(name) EXPECT(name(c) == __bw_model_##name(c), #name "(%d): %d %d", c, name(c), __bw_model_##name(c));
    CHARACTERS(COMPARE)
  }
  static const int numbers[] = {0, 1, -1, INT_MAX, INT_MIN + 1, 12345, -12345};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    EXPECT(abs(numbers[i]) == __bw_model_abs(numbers[i]), "abs(%d)", numbers[i]);
    EXPECT(labs(numbers[i]) == __bw_model_labs(numbers[i]), "labs(%d)", numbers[i]);
  }
  conversions();
  strings();
  sorting();
  return 0;
}
