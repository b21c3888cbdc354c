/* Models of the scanf family for integers, characters, strings and sets; numbers with a fraction go through strtod. C locale. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The runtime's reading of whole numbers, see `libc_wrappers/digits.rs`. */
enum { SIGN = 1 << 8, NARROW = 1 << 9, FROM_FILE = 1 << 10 };
struct number {
  long value;
  unsigned long characters;
};
int __bw_hook_number(const void *from, unsigned long most, unsigned how, struct number *to);
unsigned long __bw_hook_place(unsigned long characters);
unsigned long __bw_hook_spaces(const char *string);
unsigned long __bw_hook_file_spaces(FILE *file);
void __bw_hook_wanted(const char *start, const char *at, const char *text, unsigned long length);

/* Where characters come from: a stream, or a string. */
struct source {
  FILE *file;
  const char *string;
  const char *start; /* of the string */
  long taken;
  int has_next; /* of a stream: `next` was read and belongs to nobody yet */
  int next;
};

/* The next character; EOF at the end. No decision on a string's. */
static int look(struct source *from) {
  int c;
  if (!from->file) {
    c = (unsigned char)*from->string;
    return c | -(c == 0);
  }
  if (!from->has_next) {
    from->next = getc(from->file);
    from->has_next = 1;
  }
  return from->next;
}

/* Behind the next character, which is none of EOF. */
static void advance(struct source *from) {
  from->taken++;
  from->has_next = 0;
  if (!from->file) from->string++;
}

/* Nothing more is read: what was looked at stays in the stream. */
static void leave(struct source *from) {
  if (from->has_next && from->next != EOF) ungetc(from->next, from->file);
  from->has_next = 0;
}

static int is_space(int c) { return ((unsigned)(c - '\t') <= '\r' - '\t') | (c == ' '); }

static void skip_spaces(struct source *from) {
  unsigned long spaces;
  leave(from);
  spaces = from->file ? __bw_hook_file_spaces(from->file) : __bw_hook_spaces(from->string);
  if (!from->file) from->string += spaces;
  from->taken += (long)spaces;
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
  int last; /* nothing behind it matters */
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

/* The next number, without its prefix, as one expression: 1, 0 if there is no digit, -1 if it is too long for that. Where it
 * ends is decided if something behind it is read. */
static int read_number(struct source *from, const struct wanted *want, int width, unsigned how, unsigned long *value) {
  struct number read;
  int found;
  leave(from);
  how |= (want->size <= 4 ? NARROW : 0) | (from->file ? FROM_FILE : 0);
  found = __bw_hook_number(from->file ? (const void *)from->file : from->string, (unsigned long)width, how, &read);
  if (found <= 0) return found;
  *value = (unsigned long)read.value;
  if (from->file || !want->last) {
    unsigned long characters = __bw_hook_place(read.characters);
    from->taken += (long)characters;
    if (!from->file) from->string += characters;
  }
  return found;
}

/* Digit by digit. */
static unsigned long read_digits(struct source *from, int width, int base, int *digits, int *overflow) {
  unsigned long value = 0, cutoff = ULONG_MAX / (unsigned long)base;
  while (width > 0 && value_of(look(from), base) < (unsigned)base) {
    unsigned long digit = value_of(look(from), base);
    advance(from);
    if (++*digits > 12 && (*overflow || value > cutoff || value * (unsigned long)base > ULONG_MAX - digit))
      *overflow = 1;
    else
      value = value * (unsigned long)base + digit;
    width--;
  }
  return value;
}

static enum outcome read_integer(struct source *from, const struct wanted *want, int base, int is_signed, void *to) {
  int width = want->width, negative = 0, digits = 0, overflow = 0, found;
  unsigned long value = 0, most;
  int c = look(from);
  if (c == EOF) return END;
  if (base == 8 || base == 10) {
    found = read_number(from, want, width, (unsigned)base | SIGN, &value);
    if (found == 0) return MISMATCH;
    if (found > 0) {
      if (!want->suppressed) store_integer(to, want->size, value);
      return DONE;
    }
  }
  if ((c == '-') | (c == '+')) {
    if (c == '-') negative = 1;
    advance(from);
    if (--width == 0) return MISMATCH;
    c = look(from);
    if (c == EOF) return MISMATCH;
  }
  if (base == 16 && !from->file && width > 1) {
    /* Two characters in one decision: a first digit alone decides nothing. */
    if ((c == '0') & ((from->string[1] | 32) == 'x')) {
      digits = 1;
      width -= 2;
      advance(from);
      advance(from);
    }
  } else if (c == '0') {
    digits = 1;
    width--;
    advance(from);
    if (width > 0 && (look(from) | 32) == 'x' && (base == 0 || base == 16)) {
      base = 16;
      width--;
      advance(from);
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0) base = 10;
  found = width > 0 ? read_number(from, want, width, (unsigned)base, &value) : 0;
  if (found < 0) value = read_digits(from, width, base, &digits, &overflow);
  if (found > 0) digits++;
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
  int c = look(from);
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
        advance(from);
        c = width-- > 0 ? look(from) : EOF;
      }
      digits = letters == 3 || letters == 8;
      break;
    } else {
      break;
    }
    text[used++] = (char)c;
    advance(from);
    c = width > 0 ? look(from) : EOF;
  }
  text[used] = 0;
  if (!digits) return MISMATCH;
  if (!want->suppressed) store_float(to, want->size, text);
  return DONE;
}

/* One decision for each character: it ends the word or not. */
static enum outcome read_string(struct source *from, const struct wanted *want, char *to) {
  int width = want->width;
  if (look(from) == EOF) return END;
  for (; width-- > 0; advance(from)) {
    int c = look(from);
    if (is_space(c) | (c == EOF)) break;
    if (!want->suppressed) *to++ = (char)c;
  }
  if (!want->suppressed) *to = 0;
  return DONE;
}

static enum outcome read_characters(struct source *from, const struct wanted *want, char *to) {
  int count = want->width == INT_MAX ? 1 : want->width, i;
  for (i = 0; i < count; i++) {
    int c = look(from);
    if (c == EOF) return i == 0 ? END : DONE;
    advance(from);
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
  int width = want->width, count = 0, negated = *set == '^';
  if (look(from) == EOF) return END;
  set += negated;
  for (; width-- > 0; advance(from)) {
    int c = look(from);
    if ((c == EOF) | (set_has(set, end, c) == negated)) break;
    count++;
    if (!want->suppressed) *to++ = (char)c;
  }
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

/* 1 if what stands in the format changes neither results nor, for strings, anything that anybody sees. */
static int is_over(const char *format) {
  while (*format && *format != '%') format++;
  return !*format;
}

/* Text that the rest of a format takes. */
static unsigned long sample(const char *format, char *to, unsigned long room) {
  unsigned long used = 0;
  for (; *format && used + 2 < room; format++) {
    struct wanted want;
    if (is_space((unsigned char)*format)) {
      to[used++] = ' ';
    } else if (*format != '%' || format[1] == '%') {
      format += *format == '%';
      to[used++] = *format;
    } else {
      format = specification(format + 1, &want);
      if (want.kind == 'n') continue;
      if (want.kind == '[') {
        to[used++] = format[1] == '^' ? 'A' : format[1];
        format = set_end(format + 1);
      } else {
        if (used > 0 && to[used - 1] != ' ' && want.kind != 'c') to[used++] = ' ';
        to[used++] = want.kind == 's' || want.kind == 'c' ? 'A' : '1';
      }
      if (!*format) break;
    }
  }
  return used;
}

/* A string ends, or goes on otherwise, where the format wants more: the search is told what would have done. */
static void tell(const struct source *from, const char *at, const char *format) {
  char text[64] = " ";
  unsigned long apart = at != from->start && *format == '%' && format[1] != 'c' && format[1] != '[' && format[1] != '%';
  if (from->file) return;
  __bw_hook_wanted(from->start, at, text, apart + sample(format, text + apart, sizeof text - 1));
}

static int scan_all(struct source *from, const char *format, va_list arguments) {
  int assigned = 0;
  for (; *format; format++) {
    struct wanted want;
    const char *set;
    enum outcome outcome;
    void *to = NULL;
    const char *at = from->string, *directive = format;
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
      c = look(from);
      if (c != (unsigned char)*format) {
        tell(from, at, directive);
        return c == EOF && assigned == 0 ? EOF : assigned;
      }
      advance(from);
      continue;
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
    want.last = !*format || is_over(format + 1);
    outcome = convert(from, &want, set, format, to);
    if (outcome != DONE) tell(from, at, directive);
    if (outcome == END && assigned == 0) return EOF;
    if (outcome != DONE) return assigned;
    if (!want.suppressed) assigned++;
    if (!*format || (want.last && !from->file)) break;
  }
  return assigned;
}

static int scan(struct source *from, const char *format, va_list arguments) {
  int assigned = scan_all(from, format, arguments);
  leave(from);
  return assigned;
}

#define MODELS(prefix)                                                                        \
  int prefix##vfscanf(FILE *file, const char *format, va_list arguments) {                    \
    struct source from = {file, NULL, NULL, 0, 0, 0};                                                     \
    return scan(&from, format, arguments);                                                    \
  }                                                                                           \
  int prefix##vscanf(const char *format, va_list arguments) {                                 \
    return prefix##vfscanf(stdin, format, arguments);                                         \
  }                                                                                           \
  int prefix##vsscanf(const char *string, const char *format, va_list arguments) {            \
    struct source from = {NULL, string, string, 0, 0, 0};                                                   \
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
