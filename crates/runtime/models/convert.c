/* Models of the conversions from strings to integers, and of abs. C locale. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

static int space(int c) { return ((unsigned)(c - '\t') <= '\r' - '\t') | (c == ' '); }

/* The value of a digit, at least `base` for what is none. No branch on the character. */
static unsigned digit(int c, int base) {
  unsigned decimal = (unsigned)(c - '0'), letter = (unsigned)((c | 32) - 'a');
  if (base <= 10) return decimal;
  unsigned is_decimal = 0u - (decimal <= 9), is_letter = 0u - (letter <= 25);
  return (decimal & is_decimal) | ((letter + 10) & is_letter) | (99u & ~(is_decimal | is_letter));
}

/* The runtime's reading of whole numbers, see `libc_wrappers/digits.rs`. */
enum { SIGN = 1 << 8, NARROW = 1 << 9 };
/* Of `scan` alone: the value has no sign. */
enum { UNSIGNED = 1 << 16 };
struct number {
  long value;
  unsigned long characters;
};
int __bw_hook_number(const void *from, unsigned long most, unsigned how, struct number *to);
unsigned long __bw_hook_place(unsigned long characters);
unsigned long __bw_hook_spaces(const char *string);

/* What a conversion read. */
struct scanned {
  unsigned long magnitude;
  int negative;
  int overflow;
};

/* Whether the number begins with 0 and this letter, in either case. Two characters in one decision: a first digit alone decides
 * nothing. */
static int begins(const char *s, int letter) { return *s != 0 && ((*s == '0') & ((s[1] | 32) == letter)); }

/* Skips a prefix that is followed by a digit of its base. */
static const char *prefix(const char *s, int *base, int binary) {
  if (*base == 0 && *s != '0') {
    *base = 10;
    return s;
  }
  if ((*base == 0 || *base == 16) && begins(s, 'x') && digit(s[2], 16) < 16) {
    *base = 16;
    return s + 2;
  }
  if (binary && (*base == 0 || *base == 2) && begins(s, 'b') && digit(s[2], 2) < 2) {
    *base = 2;
    return s + 2;
  }
  if (*base == 0) *base = 8;
  return s;
}

/* Whether the number in these digits is larger than `most`: digit by digit from the last, no product and no branch on a digit.
 * Fewer digits than `most` has are never larger. */
static int beyond(const char *digits, const char *end, int base, unsigned long most) {
  unsigned larger = 0;
  while (end > digits) {
    unsigned d = digit((unsigned char)*--end, base), m = (unsigned)(most % (unsigned long)base);
    larger = (unsigned)(d > m) | ((unsigned)(d == m) & larger);
    most /= (unsigned long)base;
  }
  return most == 0 && larger;
}

/* The digits one by one: numbers that are too long for one expression. */
static const char *digits_of(const char *s, int base, unsigned long most, struct scanned *result) {
  const char *digits = s;
  while (digit((unsigned char)*s, base) < (unsigned)base) s++;
  if (beyond(digits, s, base, most)) {
    result->overflow = 1;
    return s;
  }
  for (const char *next = digits; next < s; next++)
    result->magnitude = result->magnitude * (unsigned long)base + digit((unsigned char)*next, base);
  return s;
}

/* The number at `s` as one expression; 0 if it is too long for that. `*end`, if it is asked for, is decided: behind the number,
 * or at `s` if there is none. */
static int in_one(const char *s, const char **end, unsigned how, struct scanned *result) {
  struct number read;
  int found = __bw_hook_number(s, LONG_MAX, how, &read);
  if (found < 0) return 0;
  result->magnitude = (unsigned long)read.value;
  if (end) {
    *end = s;
    if (found) *end += __bw_hook_place(read.characters);
  }
  return 1;
}

/* `how`: NARROW if only the low 32 bits of the value matter. */
static struct scanned scan(const char *text, char **end, int base, int binary, unsigned how) {
  struct scanned result = {0, 0, 0};
  const char *s = text, *digits, *stop;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return result;
  }
  s += __bw_hook_spaces(s);
  /* No prefix: the sign is part of the expression. */
  if (base != 0 && base != 16 && !(binary && base == 2)) {
    if (in_one(s, end ? &stop : NULL, (how & NARROW) | SIGN | (unsigned)base, &result)) {
      if (end) *end = (char *)(stop == s ? text : stop);
      return result;
    }
  }
  if ((*s == '-') | (*s == '+')) {
    if (*s == '-') result.negative = 1;
    s++;
  }
  s = prefix(s, &base, binary);
  digits = s;
  if (!in_one(s, end ? &stop : NULL, (how & NARROW) | (unsigned)base, &result)) {
    unsigned long most = how & UNSIGNED ? ULONG_MAX : (unsigned long)LONG_MAX + (unsigned long)result.negative;
    stop = digits_of(s, base, most, &result);
  }
  if (end) *end = (char *)(stop == digits ? text : stop);
  return result;
}

static long to_signed(struct scanned read) {
  if (read.overflow) {
    errno = ERANGE;
    return read.negative ? LONG_MIN : LONG_MAX;
  }
  return (long)(read.negative ? 0 - read.magnitude : read.magnitude);
}

static unsigned long to_unsigned(struct scanned read) {
  if (read.overflow) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return read.negative ? 0 - read.magnitude : read.magnitude;
}

long __bw_model_strtol(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0, 0)); }
long long __bw_model_strtoll(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0, 0)); }
unsigned long __bw_model_strtoul(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 0, UNSIGNED));
}
unsigned long long __bw_model_strtoull(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 0, UNSIGNED));
}

intmax_t __bw_model_strtoimax(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0, 0)); }
uintmax_t __bw_model_strtoumax(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 0, UNSIGNED));
}
long long __bw_model_strtoq(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0, 0)); }
unsigned long long __bw_model_strtouq(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 0, UNSIGNED));
}

/* C23: also 0b. */
long __bw_model___isoc23_strtol(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 1, 0)); }
long long __bw_model___isoc23_strtoll(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 1, 0)); }
unsigned long __bw_model___isoc23_strtoul(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 1, UNSIGNED));
}
unsigned long long __bw_model___isoc23_strtoull(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 1, UNSIGNED));
}

intmax_t __bw_model___isoc23_strtoimax(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 1, 0)); }
uintmax_t __bw_model___isoc23_strtoumax(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 1, UNSIGNED));
}

int __bw_model_atoi(const char *s) { return (int)to_signed(scan(s, NULL, 10, 0, NARROW)); }
long __bw_model_atol(const char *s) { return to_signed(scan(s, NULL, 10, 0, 0)); }
long long __bw_model_atoll(const char *s) { return to_signed(scan(s, NULL, 10, 0, 0)); }

int __bw_model_abs(int x) {
  int sign = x >> 31;
  return (int)(((unsigned)x ^ (unsigned)sign) - (unsigned)sign);
}

long __bw_model_labs(long x) {
  long sign = x >> 63;
  return (long)(((unsigned long)x ^ (unsigned long)sign) - (unsigned long)sign);
}

long long __bw_model_llabs(long long x) { return __bw_model_labs(x); }
