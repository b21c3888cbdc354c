/* Functions of text as plain loops, in which each byte is a decision of its own. A program that is linked with them has its own, and
 * the library models (`crates/runtime/models`) are not used: the experiment `models` compares the two. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

size_t strnlen(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n]) n++;
  return n;
}

int strcmp(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n) {
  while (n && *a && *a == *b) a++, b++, n--;
  return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c; }

int strcasecmp(const char *a, const char *b) {
  while (*a && lower(*a) == lower(*b)) a++, b++;
  return lower((unsigned char)*a) - lower((unsigned char)*b);
}

int strncasecmp(const char *a, const char *b, size_t n) {
  while (n && *a && lower(*a) == lower(*b)) a++, b++, n--;
  return n ? lower((unsigned char)*a) - lower((unsigned char)*b) : 0;
}

int memcmp(const void *x, const void *y, size_t n) {
  const unsigned char *a = x, *b = y;
  while (n && *a == *b) a++, b++, n--;
  return n ? *a - *b : 0;
}

char *strchr(const char *s, int c) {
  for (; *s != (char)c; s++)
    if (!*s) return NULL;
  return (char *)s;
}

char *strrchr(const char *s, int c) {
  const char *last = NULL;
  do
    if (*s == (char)c) last = s;
  while (*s++);
  return (char *)last;
}

void *memchr(const void *block, int c, size_t n) {
  const unsigned char *s = block;
  for (; n; n--, s++)
    if (*s == (unsigned char)c) return (void *)s;
  return NULL;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return INT_MAX;
}

/* The magnitude, and where it ends; `most` is the largest that fits. */
static unsigned long magnitude(const char **at, int base, unsigned long most, int *found, int *over) {
  unsigned long value = 0;
  for (; digit(**at) < base; ++*at) {
    unsigned long next = digit(**at);
    *found = 1;
    if (value > (most - next) / base) *over = 1;
    value = value * base + next;
  }
  return value;
}

static int sign(const char **at) {
  while (**at == ' ' || (**at >= '\t' && **at <= '\r')) ++*at;
  if (**at != '-' && **at != '+') return 0;
  return *(*at)++ == '-';
}

static int radix(const char **at, int base) {
  const char *s = *at;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16) {
    *at += 2;
    return 16;
  }
  if (base) return base;
  return *s == '0' ? 8 : 10;
}

long strtol(const char *s, char **end, int base) {
  const char *at = s;
  int found = 0, over = 0, minus = sign(&at);
  base = radix(&at, base);
  unsigned long value = magnitude(&at, base, (unsigned long)LONG_MAX + minus, &found, &over);
  if (end) *end = (char *)(found ? at : s);
  if (over) {
    errno = ERANGE;
    return minus ? LONG_MIN : LONG_MAX;
  }
  return (long)(minus ? -value : value);
}

unsigned long strtoul(const char *s, char **end, int base) {
  const char *at = s;
  int found = 0, over = 0, minus = sign(&at);
  base = radix(&at, base);
  unsigned long value = magnitude(&at, base, ULONG_MAX, &found, &over);
  if (end) *end = (char *)(found ? at : s);
  if (over) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return minus ? -value : value;
}

int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
