/* Models of the conversions from wide strings to numbers: what may belong to a number is ASCII, and is converted as bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <wchar.h>

/* 1 for spaces, signs, points, letters, digits and what a NaN has in brackets. One decision. */
static int may_belong(wchar_t c) {
  unsigned u = (unsigned)c, letter = (u | 32) - 'a';
  int is_space = (u - '\t' <= '\r' - '\t') | (u == ' ');
  int is_sign = (u == '+') | (u == '-') | (u == '.') | (u == '(') | (u == ')') | (u == '_');
  return is_space | is_sign | (letter < 26) | (u - '0' < 10);
}

/* The part of a text that may be a number, in memory of its own; NULL if there is no memory. */
static char *narrowed(const wchar_t *s) {
  size_t n = 0;
  char *text;
  while (may_belong(s[n])) n++;
  text = malloc(n + 1);
  if (!text) return NULL;
  for (size_t i = 0; i < n; i++) text[i] = (char)s[i];
  text[n] = 0;
  return text;
}

#define WHOLE(type, name, narrow)                                     \
  type __bw_model_##narrow(const char *, char **, int);               \
  type __bw_model_##name(const wchar_t *s, wchar_t **end, int base) { \
    char *text = narrowed(s), *stop;                                  \
    type value;                                                       \
    if (!text) abort();                                               \
    value = __bw_model_##narrow(text, end ? &stop : NULL, base);      \
    if (end) *end = (wchar_t *)s + (stop - text);                     \
    free(text);                                                       \
    return value;                                                     \
  }

WHOLE(long, wcstol, strtol)
WHOLE(unsigned long, wcstoul, strtoul)
WHOLE(long long, wcstoll, strtoll)
WHOLE(unsigned long long, wcstoull, strtoull)
WHOLE(intmax_t, wcstoimax, strtoimax)
WHOLE(uintmax_t, wcstoumax, strtoumax)
/* C23: also 0b. */
WHOLE(long, __isoc23_wcstol, __isoc23_strtol)
WHOLE(unsigned long, __isoc23_wcstoul, __isoc23_strtoul)
WHOLE(long long, __isoc23_wcstoll, __isoc23_strtoll)
WHOLE(unsigned long long, __isoc23_wcstoull, __isoc23_strtoull)
WHOLE(intmax_t, __isoc23_wcstoimax, __isoc23_strtoimax)
WHOLE(uintmax_t, __isoc23_wcstoumax, __isoc23_strtoumax)

#define REAL(type, name, narrow)                            \
  type __bw_model_##narrow(const char *, char **);          \
  type __bw_model_##name(const wchar_t *s, wchar_t **end) { \
    char *text = narrowed(s), *stop;                        \
    type value;                                             \
    if (!text) abort();                                     \
    value = __bw_model_##narrow(text, &stop);               \
    if (end) *end = (wchar_t *)s + (stop - text);           \
    free(text);                                             \
    return value;                                           \
  }

REAL(double, wcstod, strtod)
REAL(float, wcstof, strtof)
