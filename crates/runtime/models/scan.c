/* Models of the scanf family for integers, characters, strings and sets; numbers with a fraction go through strtod. C locale. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Where characters come from: a stream, or a string. */
struct source {
  FILE *file;
  const char *string;
  long taken;
};

static int take(struct source *from) {
  int c;
  if (from->file) {
    c = getc(from->file);
  } else {
    c = (unsigned char)*from->string;
    if (c == 0) return EOF;
    from->string++;
  }
  if (c != EOF) from->taken++;
  return c;
}

static void give_back(struct source *to, int c) {
  if (c == EOF) return;
  to->taken--;
  if (to->file)
    ungetc(c, to->file);
  else
    to->string--;
}

static int is_space(int c) { return ((unsigned)(c - '\t') <= '\r' - '\t') | (c == ' '); }

static void skip_spaces(struct source *from) {
  int c = take(from);
  while (is_space(c)) c = take(from);
  give_back(from, c);
}

/* The value of a digit, at least `base` for what is none. No branch on the character. */
static unsigned value_of(int c, int base) {
  unsigned decimal = (unsigned)(c - '0'), letter = (unsigned)((c | 32) - 'a');
  if (base <= 10) return decimal;
  unsigned is_decimal = 0u - (decimal <= 9), is_letter = 0u - (letter <= 25);
  return (decimal & is_decimal) | ((letter + 10) & is_letter) | (99u & ~(is_decimal | is_letter));
}

/* One conversion specification. */
struct wanted {
  int suppressed;
  int width; /* INT_MAX if none */
  int size;  /* bytes of the integer, or of the float */
  char kind;
};

static void store_integer(void *to, int size, unsigned long value) {
  switch (size) {
    case 1: *(unsigned char *)to = (unsigned char)value; break;
    case 2: *(unsigned short *)to = (unsigned short)value; break;
    case 8: *(unsigned long *)to = value; break;
    default: *(unsigned *)to = (unsigned)value; break;
  }
}

/* What a conversion came to. */
enum outcome { DONE, MISMATCH, END };

static enum outcome read_integer(struct source *from, const struct wanted *want, int base, int is_signed, void *to) {
  int width = want->width, negative = 0, digits = 0, overflow = 0;
  unsigned long value = 0, most, cutoff;
  int c = take(from);
  if (c == EOF) return END;
  if (c == '-' || c == '+') {
    negative = c == '-';
    if (--width == 0) return MISMATCH;
    c = take(from);
  }
  if (c == '0' && width > 0) {
    digits = 1;
    width--;
    c = width > 0 ? take(from) : EOF;
    if (width > 0 && (c | 32) == 'x' && (base == 0 || base == 16)) {
      base = 16;
      width--;
      c = width > 0 ? take(from) : EOF;
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0) base = 10;
  cutoff = ULONG_MAX / (unsigned long)base;
  while (width > 0 && value_of(c, base) < (unsigned)base) {
    unsigned long digit = value_of(c, base);
    if (++digits > 12 && (overflow || value > cutoff || value * (unsigned long)base > ULONG_MAX - digit))
      overflow = 1;
    else
      value = value * (unsigned long)base + digit;
    width--;
    c = width > 0 ? take(from) : EOF;
  }
  if (width > 0) give_back(from, c);
  if (digits == 0) return MISMATCH;
  if (is_signed) {
    most = (unsigned long)LONG_MAX + (unsigned long)negative;
    if (overflow || (digits > 12 && value > most)) value = most;
    value = negative ? 0 - value : value;
  } else {
    value = overflow ? ULONG_MAX : negative ? 0 - value : value;
  }
  if (!want->suppressed) store_integer(to, want->size, value);
  return DONE;
}

static void store_float(void *to, int size, const char *text) {
  char *end;
  if (size == 8)
    *(double *)to = strtod(text, &end);
  else if (size == 16)
    *(long double *)to = strtold(text, &end);
  else
    *(float *)to = strtof(text, &end);
}

/* Collects what may belong to a number with a fraction; strtod gives its value. */
static enum outcome read_float(struct source *from, const struct wanted *want, void *to) {
  char text[512];
  int used = 0, width = want->width, digits = 0, point = 0, exponent = 0;
  int c = take(from);
  if (c == EOF) return END;
  while (width-- > 0 && used < 500) {
    if (c >= '0' && c <= '9') {
      digits = 1;
    } else if (c == '-' || c == '+') {
      if (used != 0 && (text[used - 1] | 32) != 'e') break;
    } else if (c == '.') {
      if (point || exponent) break;
      point = 1;
    } else if (c == 'e' || c == 'E') {
      if (!digits || exponent) break;
      exponent = 1;
    } else if (!digits && !point && ((c | 32) == 'i' || (c | 32) == 'n')) {
      const char *word = (c | 32) == 'i' ? "infinity" : "nan";
      int letters = 0;
      while (word[letters] && (c | 32) == word[letters]) {
        letters++;
        text[used++] = (char)c;
        c = width-- > 0 ? take(from) : EOF;
      }
      digits = letters == 3 || letters == 8;
      break;
    } else {
      break;
    }
    text[used++] = (char)c;
    c = width > 0 ? take(from) : EOF;
  }
  give_back(from, c);
  text[used] = 0;
  if (!digits) return MISMATCH;
  if (!want->suppressed) store_float(to, want->size, text);
  return DONE;
}

static enum outcome read_string(struct source *from, const struct wanted *want, char *to) {
  int width = want->width, c = take(from);
  if (c == EOF) return END;
  while (width-- > 0 && c != EOF && !is_space(c)) {
    if (!want->suppressed) *to++ = (char)c;
    c = width > 0 ? take(from) : EOF;
  }
  give_back(from, c);
  if (!want->suppressed) *to = 0;
  return DONE;
}

static enum outcome read_characters(struct source *from, const struct wanted *want, char *to) {
  int count = want->width == INT_MAX ? 1 : want->width, i;
  for (i = 0; i < count; i++) {
    int c = take(from);
    if (c == EOF) return i == 0 ? END : DONE;
    if (!want->suppressed) *to++ = (char)c;
  }
  return DONE;
}

/* 1 if the set between `set` and `end` has the character; `-` makes ranges. */
static int set_has(const char *set, const char *end, int c) {
  int found = 0;
  while (set < end) {
    unsigned char low = (unsigned char)set[0];
    if (set + 2 < end && set[1] == '-') {
      found |= (c >= low) & (c <= (unsigned char)set[2]);
      set += 3;
    } else {
      found |= c == low;
      set++;
    }
  }
  return found;
}

static enum outcome read_set(struct source *from, const struct wanted *want, const char *set, const char *end, char *to) {
  int width = want->width, count = 0, negated = *set == '^', c = take(from);
  if (c == EOF) return END;
  set += negated;
  while (width-- > 0 && c != EOF && set_has(set, end, c) != negated) {
    count++;
    if (!want->suppressed) *to++ = (char)c;
    c = width > 0 ? take(from) : EOF;
  }
  give_back(from, c);
  if (count == 0) return MISMATCH;
  if (!want->suppressed) *to = 0;
  return DONE;
}

/* Reads flags, width and size; returns the place of the conversion character. */
static const char *specification(const char *format, struct wanted *want) {
  want->suppressed = 0;
  want->width = INT_MAX;
  want->size = 4;
  if (*format == '*') {
    want->suppressed = 1;
    format++;
  }
  if (*format >= '0' && *format <= '9') {
    want->width = 0;
    while (*format >= '0' && *format <= '9') want->width = want->width * 10 + (*format++ - '0');
    if (want->width == 0) want->width = INT_MAX;
  }
  switch (*format) {
    case 'h':
      want->size = 2;
      if (*++format == 'h') {
        want->size = 1;
        format++;
      }
      break;
    case 'l':
      want->size = 8;
      if (*++format == 'l') format++;
      break;
    case 'j': case 'z': case 't': case 'q':
      want->size = 8;
      format++;
      break;
    case 'L':
      want->size = 16;
      format++;
      break;
  }
  want->kind = *format;
  return format;
}

/* The end of a set: the bracket that closes it. */
static const char *set_end(const char *set) {
  if (*set == '^') set++;
  if (*set == ']') set++;
  while (*set && *set != ']') set++;
  return set;
}

static enum outcome convert(struct source *from, const struct wanted *want, const char *set, const char *end, void *to) {
  switch (want->kind) {
    case 'd': return read_integer(from, want, 10, 1, to);
    case 'i': return read_integer(from, want, 0, 1, to);
    case 'u': return read_integer(from, want, 10, 0, to);
    case 'o': return read_integer(from, want, 8, 0, to);
    case 'x': case 'X': case 'p': return read_integer(from, want, 16, 0, to);
    case 'e': case 'f': case 'g': case 'a': case 'E': case 'F': case 'G': case 'A': return read_float(from, want, to);
    case 's': return read_string(from, want, to);
    case 'c': return read_characters(from, want, to);
    case '[': return read_set(from, want, set, end, to);
  }
  return MISMATCH;
}

static int scan(struct source *from, const char *format, va_list arguments) {
  int assigned = 0;
  for (; *format; format++) {
    struct wanted want;
    const char *set;
    enum outcome outcome;
    void *to = NULL;
    if (is_space((unsigned char)*format)) {
      skip_spaces(from);
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      int c;
      if (*format == '%') {
        format++;
        skip_spaces(from);
      }
      c = take(from);
      if (c == (unsigned char)*format) continue;
      give_back(from, c);
      return c == EOF && assigned == 0 ? EOF : assigned;
    }
    format = specification(format + 1, &want);
    if (want.kind == 'p') want.size = 8;
    if (want.kind == 'n') {
      if (!want.suppressed) store_integer(va_arg(arguments, void *), want.size, (unsigned long)from->taken);
      continue;
    }
    set = format + 1;
    if (want.kind == '[') format = set_end(set);
    else if (want.kind != 'c') skip_spaces(from);
    if (!want.suppressed) to = va_arg(arguments, void *);
    outcome = convert(from, &want, set, format, to);
    if (outcome == END && assigned == 0) return EOF;
    if (outcome != DONE) return assigned;
    if (!want.suppressed) assigned++;
    if (!*format) break;
  }
  return assigned;
}

#define MODELS(prefix)                                                                        \
  int prefix##vfscanf(FILE *file, const char *format, va_list arguments) {                    \
    struct source from = {file, NULL, 0};                                                     \
    return scan(&from, format, arguments);                                                    \
  }                                                                                           \
  int prefix##vscanf(const char *format, va_list arguments) {                                 \
    return prefix##vfscanf(stdin, format, arguments);                                         \
  }                                                                                           \
  int prefix##vsscanf(const char *string, const char *format, va_list arguments) {            \
    struct source from = {NULL, string, 0};                                                   \
    return scan(&from, format, arguments);                                                    \
  }                                                                                           \
  int prefix##scanf(const char *format, ...) {                                                \
    va_list arguments;                                                                        \
    int assigned;                                                                             \
    va_start(arguments, format);                                                              \
    assigned = prefix##vscanf(format, arguments);                                             \
    va_end(arguments);                                                                        \
    return assigned;                                                                          \
  }                                                                                           \
  int prefix##fscanf(FILE *file, const char *format, ...) {                                   \
    va_list arguments;                                                                        \
    int assigned;                                                                             \
    va_start(arguments, format);                                                              \
    assigned = prefix##vfscanf(file, format, arguments);                                      \
    va_end(arguments);                                                                        \
    return assigned;                                                                          \
  }                                                                                           \
  int prefix##sscanf(const char *string, const char *format, ...) {                           \
    va_list arguments;                                                                        \
    int assigned;                                                                             \
    va_start(arguments, format);                                                              \
    assigned = prefix##vsscanf(string, format, arguments);                                    \
    va_end(arguments);                                                                        \
    return assigned;                                                                          \
  }

MODELS(__bw_model_)
MODELS(__bw_model___isoc99_)
MODELS(__bw_model___isoc23_)
