/* Models of strtod and relatives. A decimal number of few digits is its digits as a whole number, times or divided by a power
 * of ten: both are exact, so that one operation rounds as the C library does (Clinger, "How to read floating point numbers
 * accurately", PLDI 1990, section 4). Other numbers are pinned and given to the C library. */
#include <locale.h>
#include <stdlib.h>

void __bw_hook_pin(unsigned long value);
void __bw_hook_pin_text(const char *from, const char *to);
unsigned long __bw_hook_concrete(unsigned long value);
unsigned long __bw_hook_spaces(const char *string);

static int is_digit(int c) { return (unsigned)(c - '0') <= 9; }

/* What a text says: mantissa * 10^scale. */
struct decimal {
  long mantissa;
  int digits;
  int scale;
  int negative;
  const char *end; /* NULL: not a decimal number of few digits */
};

/* The exponent behind `e`; leaves `*at` if there is none. It is pinned: which power of ten it is has no expression. */
static int exponent(const char **at) {
  const char *s = *at + 1;
  int negative = 0, value = 0, digits = 0;
  if ((*s == '-') | (*s == '+')) {
    if (*s == '-') negative = 1;
    s++;
  }
  if (!is_digit((unsigned char)*s)) return 0;
  for (; is_digit((unsigned char)*s); s++)
    if (++digits <= 4) value = value * 10 + (*s - '0');
  *at = s;
  if (digits > 4) return 9999; /* no power that is exact */
  __bw_hook_pin((unsigned)value);
  value = (int)__bw_hook_concrete((unsigned)value);
  return negative ? -value : value;
}

/* What the C library takes for infinity or NaN begins so. One decision. */
static int may_be_word(const char *s) { return (*s == 'i') | (*s == 'I') | (*s == 'n') | (*s == 'N'); }

static struct decimal read_decimal(const char *text) {
  struct decimal read = {0, 0, 0, 0, NULL};
  const char *s = text + __bw_hook_spaces(text), *begin;
  if ((*s == '-') | (*s == '+')) {
    if (*s == '-') read.negative = 1;
    s++;
  }
  begin = s;
  for (; is_digit((unsigned char)*s) && read.digits < 19; s++, read.digits++)
    read.mantissa = read.mantissa * 10 + (*s - '0');
  /* Behind the digit, and in one decision: that the first digit is 0 alone decides nothing. */
  if (read.digits == 1 && ((*begin == '0') & ((*s | 32) == 'x'))) return read;
  if (*s == '.') {
    for (s++; is_digit((unsigned char)*s) && read.digits < 19; s++, read.digits++, read.scale--)
      read.mantissa = read.mantissa * 10 + (*s - '0');
  }
  if (read.digits == 0 && !may_be_word(begin)) read.end = text; /* no number: 0 */
  if (read.digits == 0 || read.digits >= 19) return read;
  if ((*s | 32) == 'e') read.scale += exponent(&s);
  read.end = s;
  return read;
}

static int is_plain_locale(void) { return localeconv()->decimal_point[0] == '.'; }

/* 10^0 to 10^27 are exact as long doubles, 10^0 to 10^22 as doubles, 10^0 to 10^10 as floats. */
#define CONVERSION(name, type, real, most_digits, most_scale)                                   \
  static type name(const char *s, char **end) {                                                 \
    static const type powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, \
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,                         \
      (type)1e23L, (type)1e24L, (type)1e25L, (type)1e26L, (type)1e27L};                         \
    struct decimal read = read_decimal(s);                                                      \
    if (read.end && read.digits <= most_digits && read.scale <= most_scale &&                   \
        read.scale >= -most_scale && is_plain_locale()) {                                       \
      type value = (type)read.mantissa;                                                         \
      if (read.scale < 0) value /= powers[-read.scale];                                         \
      if (read.scale > 0) value *= powers[read.scale];                                          \
      if (end) *end = (char *)read.end;                                                         \
      return read.negative && read.digits ? -value : value;                                     \
    } else {                                                                                    \
      char *stop;                                                                               \
      type value = real(s, &stop);                                                              \
      __bw_hook_pin_text(s, stop);                                                              \
      if (end) *end = stop;                                                                     \
      return value;                                                                             \
    }                                                                                           \
  }

CONVERSION(to_long_double, long double, strtold, 18, 27)
CONVERSION(to_double, double, strtod, 15, 22)
CONVERSION(to_float, float, strtof, 7, 10)

long double __bw_model_strtold(const char *s, char **end) { return to_long_double(s, end); }
double __bw_model_strtod(const char *s, char **end) { return to_double(s, end); }
float __bw_model_strtof(const char *s, char **end) { return to_float(s, end); }
double __bw_model_atof(const char *s) { return to_double(s, NULL); }
