/* Models of the printf family. Text and what is concrete is moved in blocks; a symbolic integer decides how many digits it
 * has beyond its field, and its digits are expressions. Fractions go through the C library, as do rare conversions
 * (`%1$d`, `%'d`, `%ls`): what is symbolic there is lost, and counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the runtime: see libc_wrappers/format.rs. */
int __bw_hook_any(void);
int __bw_hook_symbolic(unsigned long value);
size_t __bw_hook_length(const char *string, size_t limit);
int __bw_hook_double(char *to, size_t room, const char *format, double value);
int __bw_hook_vsnprintf(char *to, size_t room, const char *format, va_list arguments, int loses);
int __bw_hook_vfprintf(FILE *file, const char *format, va_list arguments, int loses);

/* Where the text goes. `count` is what it would be with room for all. */
struct sink {
  char *to;
  size_t room; /* without the terminator */
  size_t count;
  int grows;
  int failed;
};

static void make_room(struct sink *sink, size_t bytes) {
  size_t wanted = sink->count + bytes, room = sink->room;
  char *larger;
  if (!sink->grows || sink->failed || wanted <= room) return;
  while (room < wanted) room = 2 * room + 64;
  larger = realloc(sink->to, room + 1);
  if (!larger) {
    sink->failed = 1;
    return;
  }
  sink->to = larger;
  sink->room = room;
}

static void put_block(struct sink *sink, const char *from, size_t bytes) {
  size_t here = bytes;
  make_room(sink, bytes);
  if (sink->count < sink->room) {
    if (here > sink->room - sink->count) here = sink->room - sink->count;
    memcpy(sink->to + sink->count, from, here);
  }
  sink->count += bytes;
}

static void put(struct sink *sink, char c) {
  make_room(sink, 1);
  if (sink->count < sink->room) sink->to[sink->count] = c;
  sink->count++;
}

static void put_many(struct sink *sink, char c, long times) {
  size_t here;
  if (times <= 0) return;
  make_room(sink, (size_t)times);
  if (sink->count < sink->room) {
    here = sink->room - sink->count;
    memset(sink->to + sink->count, c, (size_t)times < here ? (size_t)times : here);
  }
  sink->count += (size_t)times;
}

/* One conversion specification; `precision` is -1 if there is none. */
struct wanted {
  int left, plus, space, alternate, zero;
  int width, precision;
  int size; /* bytes of an integer, 16 for `L` */
  char kind;
};

static const char *number(const char *format, int *value) {
  *value = 0;
  while (*format >= '0' && *format <= '9') *value = *value * 10 + (*format++ - '0');
  return format;
}

static const char *flags(const char *format, struct wanted *want) {
  for (;; format++) {
    switch (*format) {
      case '-': want->left = 1; break;
      case '+': want->plus = 1; break;
      case ' ': want->space = 1; break;
      case '#': want->alternate = 1; break;
      case '0': want->zero = 1; break;
      default: return format;
    }
  }
}

static const char *size_of(const char *format, struct wanted *want) {
  switch (*format) {
    case 'h':
      want->size = format[1] == 'h' ? 1 : 2;
      return format + 3 - want->size;
    case 'l':
      want->size = 8;
      return format + (format[1] == 'l' ? 2 : 1);
    case 'j': case 'z': case 'Z': case 't': case 'q':
      want->size = 8;
      return format + 1;
    case 'L':
      want->size = 16;
      return format + 1;
  }
  return format;
}

/* Whether every conversion of the format is one of ours. */
static int is_usual(const char *format) {
  int ignored;
  struct wanted want;
  for (;;) {
    format = strchrnul(format, '%');
    if (!*format) return 1;
    want.size = 4;
    format = flags(format + 1, &want);
    format = *format == '*' ? format + 1 : number(format, &ignored);
    if (*format == '.') format = format[1] == '*' ? format + 2 : number(format + 1, &ignored);
    format = size_of(format, &want);
    if (!*format || !strchr("diouxXcspnm%eEfFgGaA", *format)) return 0;
    if (want.size >= 8 && (*format == 'c' || *format == 's')) return 0;
    format++;
  }
}

static void put_padded(struct sink *sink, const struct wanted *want, const char *text, size_t bytes) {
  long blanks = want->width > 0 && (size_t)want->width > bytes ? want->width - (long)bytes : 0;
  if (!want->left) put_many(sink, ' ', blanks);
  put_block(sink, text, bytes);
  if (want->left) put_many(sink, ' ', blanks);
}

/* An integer as its digits. */
struct digits {
  unsigned long value;
  int narrow; /* fits 32 bits */
  unsigned base;
  int most; /* digits of the largest value */
  char letters; /* of hexadecimal digits: 'a' or 'A' */
};

static unsigned long power(const struct digits *of, int exponent) {
  unsigned long result = 1;
  while (exponent-- > 0) result *= of->base;
  return result;
}

/* Whether the value has more than so many digits. */
static int exceeds(const struct digits *of, int count) {
  if (count >= of->most) return 0;
  if (of->narrow) return (unsigned)of->value >= (unsigned)power(of, count);
  return of->value >= power(of, count);
}

/* The digit that counts base^place. No branch on the value. */
static char digit(const struct digits *of, int place) {
  unsigned value;
  if (place >= of->most) return '0';
  if (of->base != 10) {
    int shift = place * (of->base == 16 ? 4 : 3);
    value = (unsigned)(of->value >> shift) & (of->base - 1);
  } else if (of->narrow) {
    value = (unsigned)of->value / (unsigned)power(of, place) % 10;
  } else {
    value = (unsigned)(of->value / power(of, place) % 10);
  }
  return (char)('0' + value + (value > 9) * (unsigned)(of->letters - '9' - 1));
}

/* Right-aligned without sign or prefix: each place is a digit or a blank, and nothing is decided within the width. */
static void put_blank_padded(struct sink *sink, const struct digits *of, int width) {
  int place = width;
  while (exceeds(of, place)) place++;
  while (place-- > 1) {
    int shown = 0 - exceeds(of, place);
    put(sink, (char)((digit(of, place) & shown) | (' ' & ~shown)));
  }
  put(sink, digit(of, 0));
}

static void put_integer(struct sink *sink, const struct wanted *want, const struct digits *of, const char *sign) {
  const char *prefix = "";
  int least, count, before = (int)strlen(sign);
  if (want->alternate && of->base == 16 && of->value != 0) prefix = of->letters == 'a' ? "0x" : "0X";
  before += (int)strlen(prefix);
  least = want->precision;
  if (least < 0) {
    if (before == 0 && !want->left && !want->zero && !want->alternate && want->width > 1) {
      put_blank_padded(sink, of, want->width);
      return;
    }
    least = want->zero && !want->left && want->width - before > 1 ? want->width - before : 1;
  }
  count = least;
  if (count == 0 && of->value != 0) count = 1;
  if (count > 0)
    while (exceeds(of, count)) count++;
  if (want->alternate && of->base == 8 && (count == 0 || digit(of, count - 1) != '0')) count++;
  if (!want->left) put_many(sink, ' ', (long)want->width - before - count);
  put_block(sink, sign, strlen(sign));
  put_block(sink, prefix, strlen(prefix));
  for (int place = count; place-- > 0;) put(sink, digit(of, place));
  if (want->left) put_many(sink, ' ', (long)want->width - before - count);
}

/* What the C library writes for one argument; `write` may be called twice. */
#define PUT_FOREIGN(sink, want, write)                                                  \
  do {                                                                                  \
    char small[128], *place = small;                                                    \
    int bytes = write(small, sizeof small);                                             \
    if (bytes >= (int)sizeof small && (place = malloc((size_t)bytes + 1)) != NULL)      \
      bytes = write(place, (size_t)bytes + 1);                                          \
    if (bytes >= 0 && place) put_block(sink, place, (size_t)bytes);                     \
    if (bytes < 0 || !place) (sink)->failed = 1;                                        \
    if (place != small) free(place);                                                    \
  } while (0)

static int foreign(char *to, size_t room, const char *format, ...) {
  va_list arguments;
  int bytes;
  va_start(arguments, format);
  bytes = __bw_hook_vsnprintf(to, room, format, arguments, 0);
  va_end(arguments);
  return bytes;
}

/* The specification again, with width and precision as numbers, and this size. */
static void specify(char *to, const struct wanted *want, const char *size) {
  struct sink sink = {to, 63, 0, 0, 0};
  put(&sink, '%');
  if (want->left) put(&sink, '-');
  if (want->plus) put(&sink, '+');
  if (want->space) put(&sink, ' ');
  if (want->alternate) put(&sink, '#');
  if (want->zero) put(&sink, '0');
  for (int part = 0; part < 2; part++) {
    struct digits of = {(unsigned)(part ? want->precision : want->width), 1, 10, 10, 'a'};
    struct wanted plain = {0, 0, 0, 0, 0, 0, -1, 4, 'd'};
    if (part ? want->precision < 0 : want->width == 0) continue;
    if (part) put(&sink, '.');
    put_integer(&sink, &plain, &of, "");
  }
  put_block(&sink, size, strlen(size));
  put(&sink, want->kind);
  to[sink.count] = 0;
}

static void put_double(struct sink *sink, const struct wanted *want, double value) {
  char format[64];
  specify(format, want, "");
#define WRITE(to, room) __bw_hook_double(to, room, format, value)
  PUT_FOREIGN(sink, want, WRITE);
#undef WRITE
}

static void put_long_double(struct sink *sink, const struct wanted *want, long double value) {
  char format[64];
  specify(format, want, "L");
#define WRITE(to, room) foreign(to, room, format, value)
  PUT_FOREIGN(sink, want, WRITE);
#undef WRITE
}

/* An integer argument as the C library reads it, sign- or zero-extended from its size. */
static long narrowed(unsigned long value, int size, int is_signed) {
  switch (size) {
    case 1: return is_signed ? (signed char)value : (long)(unsigned char)value;
    case 2: return is_signed ? (short)value : (long)(unsigned short)value;
    case 4: return is_signed ? (int)value : (long)(unsigned)value;
  }
  return (long)value;
}

static void convert_integer(struct sink *sink, const struct wanted *want, unsigned long argument) {
  int is_signed = want->kind == 'd' || want->kind == 'i', size = want->size > 8 ? 8 : want->size;
  int bits = 8 * (size < 4 ? 4 : size);
  long value = narrowed(argument, size, is_signed);
  struct digits of = {(unsigned long)value, size <= 4, 10, size <= 4 ? 10 : 20, want->kind == 'X' ? 'A' : 'a'};
  const char *sign = "";
  if (!__bw_hook_symbolic((unsigned long)value)) {
    char format[64];
    specify(format, want, size == 8 ? "l" : size == 4 ? "" : size == 2 ? "h" : "hh");
#define WRITE(to, room) foreign(to, room, format, value)
    PUT_FOREIGN(sink, want, WRITE);
#undef WRITE
    return;
  }
  if (is_signed) {
    if (value < 0) {
      of.value = 0 - (unsigned long)value;
      sign = "-";
    } else if (want->plus) {
      sign = "+";
    } else if (want->space) {
      sign = " ";
    }
  } else if (want->kind == 'o') {
    of.base = 8;
    of.most = (bits + 2) / 3;
  } else if (want->kind != 'u') {
    of.base = 16;
    of.most = bits / 4;
  }
  put_integer(sink, want, &of, sign);
}

static void convert_pointer(struct sink *sink, struct wanted *want, unsigned long argument) {
  if (!__bw_hook_symbolic(argument)) {
    char format[64];
    specify(format, want, "");
#define WRITE(to, room) foreign(to, room, format, argument)
    PUT_FOREIGN(sink, want, WRITE);
#undef WRITE
    return;
  }
  if (argument == 0) {
    put_padded(sink, want, "(nil)", 5);
    return;
  }
  want->kind = 'x';
  want->alternate = 1;
  want->size = 8;
  convert_integer(sink, want, argument);
}

static void convert_string(struct sink *sink, const struct wanted *want, const char *string) {
  size_t limit = want->precision < 0 ? (size_t)-1 : (size_t)want->precision;
  if (!string) string = want->precision >= 0 && want->precision < 6 ? "" : "(null)";
  put_padded(sink, want, string, __bw_hook_length(string, limit));
}

static void store_count(void *to, int size, size_t count) {
  switch (size) {
    case 1: *(signed char *)to = (signed char)count; break;
    case 2: *(short *)to = (short)count; break;
    case 4: *(int *)to = (int)count; break;
    default: *(long *)to = (long)count; break;
  }
}

/* An argument passed on to those who take the rest from there. */
struct rest {
  va_list list;
};

static int star(struct rest *rest) { return va_arg(rest->list, int); }

/* Reads a specification behind its `%`; returns the place of the conversion character. */
static const char *specification(const char *format, struct wanted *want, struct rest *rest) {
  memset(want, 0, sizeof *want);
  want->precision = -1;
  want->size = 4;
  format = flags(format, want);
  if (*format == '*') {
    want->width = star(rest);
    if (want->width < 0) {
      want->left = 1;
      want->width = 0 - want->width;
    }
    format++;
  } else {
    format = number(format, &want->width);
  }
  if (*format == '.') {
    if (format[1] == '*') {
      want->precision = star(rest);
      format += 2;
    } else {
      format = number(format + 1, &want->precision);
    }
    if (want->precision < 0) want->precision = -1;
  }
  format = size_of(format, want);
  want->kind = *format;
  return format;
}

static void convert(struct sink *sink, struct wanted *want, struct rest *rest, int error) {
  switch (want->kind) {
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
      if (want->size < 8)
        convert_integer(sink, want, va_arg(rest->list, unsigned));
      else
        convert_integer(sink, want, va_arg(rest->list, unsigned long));
      break;
    case 'c': {
      char c = (char)va_arg(rest->list, int);
      put_padded(sink, want, &c, 1);
      break;
    }
    case 's': convert_string(sink, want, va_arg(rest->list, const char *)); break;
    case 'm': convert_string(sink, want, strerror(error)); break;
    case 'p': convert_pointer(sink, want, (unsigned long)va_arg(rest->list, void *)); break;
    case 'n': store_count(va_arg(rest->list, void *), want->size, sink->count); break;
    case '%': put(sink, '%'); break;
    default:
      if (want->size == 16)
        put_long_double(sink, want, va_arg(rest->list, long double));
      else
        put_double(sink, want, va_arg(rest->list, double));
  }
}

static int format_to(struct sink *sink, const char *format, va_list arguments) {
  struct rest rest;
  int error = errno;
  va_copy(rest.list, arguments);
  for (;;) {
    struct wanted want;
    const char *next = strchrnul(format, '%');
    put_block(sink, format, (size_t)(next - format));
    if (!*next) break;
    format = specification(next + 1, &want, &rest) + 1;
    convert(sink, &want, &rest, error);
    if (sink->failed) break;
  }
  va_end(rest.list);
  if (sink->failed) return -1;
  if (sink->count > INT_MAX) {
    errno = EOVERFLOW;
    return -1;
  }
  return (int)sink->count;
}

int __bw_model_vsnprintf(char *to, size_t room, const char *format, va_list arguments) {
  struct sink sink = {to, room == 0 ? 0 : room - 1, 0, 0, 0};
  int bytes;
  if (!__bw_hook_any()) return __bw_hook_vsnprintf(to, room, format, arguments, 0);
  if (!is_usual(format)) return __bw_hook_vsnprintf(to, room, format, arguments, 1);
  bytes = format_to(&sink, format, arguments);
  if (room > 0) to[sink.count < room ? sink.count : room - 1] = 0;
  return bytes;
}

int __bw_model_vsprintf(char *to, const char *format, va_list arguments) {
  struct sink sink = {to, (size_t)-1, 0, 0, 0};
  int bytes;
  if (!__bw_hook_any()) return __bw_hook_vsnprintf(to, INT_MAX, format, arguments, 0);
  if (!is_usual(format)) return __bw_hook_vsnprintf(to, INT_MAX, format, arguments, 1);
  bytes = format_to(&sink, format, arguments);
  to[sink.count] = 0;
  return bytes;
}

int __bw_model_vasprintf(char **to, const char *format, va_list arguments) {
  struct sink sink = {NULL, 0, 0, 1, 0};
  int bytes, loses = __bw_hook_any();
  if (!loses || !is_usual(format)) {
    va_list again;
    va_copy(again, arguments);
    bytes = __bw_hook_vsnprintf(NULL, 0, format, again, loses);
    va_end(again);
    if (bytes < 0) return bytes;
    *to = malloc((size_t)bytes + 1);
    if (!*to) return -1;
    return __bw_hook_vsnprintf(*to, (size_t)bytes + 1, format, arguments, loses);
  }
  make_room(&sink, 1);
  bytes = format_to(&sink, format, arguments);
  if (bytes < 0) {
    free(sink.to);
    return bytes;
  }
  sink.to[sink.count] = 0;
  *to = sink.to;
  return bytes;
}

/* Output goes to the C library; how much it is was computed here, for callers that look. */
int __bw_model_vfprintf(FILE *file, const char *format, va_list arguments) {
  struct sink sink = {NULL, 0, 0, 0, 0};
  va_list again;
  int written, bytes;
  if (!__bw_hook_any()) return __bw_hook_vfprintf(file, format, arguments, 0);
  if (!is_usual(format)) return __bw_hook_vfprintf(file, format, arguments, 1);
  va_copy(again, arguments);
  bytes = format_to(&sink, format, again);
  va_end(again);
  written = __bw_hook_vfprintf(file, format, arguments, 0);
  return written < 0 ? written : bytes;
}

int __bw_model_vprintf(const char *format, va_list arguments) { return __bw_model_vfprintf(stdout, format, arguments); }

#define FORWARD(name, params, call)  \
  int name params {                  \
    va_list arguments;               \
    int bytes;                       \
    va_start(arguments, format);     \
    bytes = call;                    \
    va_end(arguments);               \
    return bytes;                    \
  }

FORWARD(__bw_model_snprintf, (char *to, size_t room, const char *format, ...), __bw_model_vsnprintf(to, room, format, arguments))
FORWARD(__bw_model_sprintf, (char *to, const char *format, ...), __bw_model_vsprintf(to, format, arguments))
FORWARD(__bw_model_asprintf, (char **to, const char *format, ...), __bw_model_vasprintf(to, format, arguments))
FORWARD(__bw_model_printf, (const char *format, ...), __bw_model_vfprintf(stdout, format, arguments))
FORWARD(__bw_model_fprintf, (FILE *file, const char *format, ...), __bw_model_vfprintf(file, format, arguments))

/* What `_FORTIFY_SOURCE` makes of them. The sizes are the compiler's, so what does not fit is the program's bug. */
static void checked(size_t room, int bytes) {
  if (bytes >= 0 && (size_t)bytes >= room) abort();
}

int __bw_model___vsnprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, va_list arguments) {
  if (room > size) abort();
  return __bw_model_vsnprintf(to, room, format, arguments);
}

int __bw_model___vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list arguments) {
  int bytes = size == (size_t)-1 ? __bw_model_vsprintf(to, format, arguments)
                                 : __bw_model_vsnprintf(to, size, format, arguments);
  checked(size, bytes);
  return bytes;
}

int __bw_model___vasprintf_chk(char **to, int flag, const char *format, va_list arguments) {
  return __bw_model_vasprintf(to, format, arguments);
}

int __bw_model___vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments) {
  return __bw_model_vfprintf(file, format, arguments);
}

int __bw_model___vprintf_chk(int flag, const char *format, va_list arguments) {
  return __bw_model_vfprintf(stdout, format, arguments);
}

FORWARD(__bw_model___snprintf_chk, (char *to, size_t room, int flag, size_t size, const char *format, ...),
        __bw_model___vsnprintf_chk(to, room, flag, size, format, arguments))
FORWARD(__bw_model___sprintf_chk, (char *to, int flag, size_t size, const char *format, ...),
        __bw_model___vsprintf_chk(to, flag, size, format, arguments))
FORWARD(__bw_model___asprintf_chk, (char **to, int flag, const char *format, ...),
        __bw_model_vasprintf(to, format, arguments))
FORWARD(__bw_model___printf_chk, (int flag, const char *format, ...), __bw_model_vfprintf(stdout, format, arguments))
FORWARD(__bw_model___fprintf_chk, (FILE *file, int flag, const char *format, ...),
        __bw_model_vfprintf(file, format, arguments))
