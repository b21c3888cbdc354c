/* Models of string functions that programs call less often: searches that ignore case, block searches, version order, order in
 * the locale, the parts of a path. */
#define _GNU_SOURCE
#include <libgen.h>
#undef basename
#include <locale.h>
#include <stddef.h>
#include <string.h>

static int lower(int c) { return c + (((unsigned)(c - 'A') <= 25) << 5); }

char *__bw_model_strcasestr(const char *s, const char *wanted) {
  for (;; s++) {
    size_t i = 0;
    while (wanted[i] && lower((unsigned char)s[i]) == lower((unsigned char)wanted[i])) i++;
    if (!wanted[i]) return (char *)s;
    if (!s[i]) return NULL;
  }
}

/* Each place is one comparison of the whole block, not one for each byte. */
void *__bw_model_memmem(const void *block, size_t bytes, const void *wanted, size_t wanted_bytes) {
  const char *from = block;
  if (wanted_bytes > bytes) return NULL;
  for (size_t at = 0; at <= bytes - wanted_bytes; at++)
    if (memcmp(from + at, wanted, wanted_bytes) == 0) return (char *)from + at;
  return NULL;
}

void *__bw_model_memccpy(void *to, const void *from, int last, size_t bytes) {
  char *out = to;
  const char *in = from;
  for (size_t i = 0; i < bytes; i++) {
    out[i] = in[i];
    if (in[i] == (char)last) return out + i + 1;
  }
  return NULL;
}

char *__bw_model_stpncpy(char *to, const char *from, size_t bytes) {
  strncpy(to, from, bytes);
  return to + strnlen(to, bytes);
}

static int is_digit(int c) { return (unsigned)(c - '0') <= 9; }

/* Digit sequences compare by value; those with leading zeros compare as what follows a point. */
int __bw_model_strverscmp(const char *a, const char *b) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  size_t i, digits = 0; /* where the digits that stand before the difference begin */
  int zeros = 1;
  for (i = 0; x[i] == y[i]; i++) {
    if (!x[i]) return 0;
    if (!is_digit(x[i])) {
      digits = i + 1;
      zeros = 1;
    } else if (x[i] != '0') {
      zeros = 0;
    }
  }
  if ((unsigned)(x[digits] - '1') < 9 && (unsigned)(y[digits] - '1') < 9) {
    size_t end = i;
    for (; is_digit(x[end]); end++)
      if (!is_digit(y[end])) return 1;
    if (is_digit(y[end])) return -1;
  } else if (zeros && digits < i && (is_digit(x[i]) | is_digit(y[i]))) {
    return (unsigned char)(x[i] - '0') - (unsigned char)(y[i] - '0');
  }
  return x[i] - y[i];
}

/* Other locales are the C library's: what is symbolic is lost there. */
static int is_plain_locale(void) {
  const char *name = setlocale(LC_COLLATE, NULL);
  return !strcmp(name, "C") || !strcmp(name, "POSIX") || !strncmp(name, "C.", 2);
}

void __bw_hook_lost(void);

int __bw_model_strcoll(const char *a, const char *b) {
  if (is_plain_locale()) return strcmp(a, b);
  __bw_hook_lost();
  return strcoll(a, b);
}

size_t __bw_model_strxfrm(char *to, const char *from, size_t bytes) {
  size_t length;
  if (!is_plain_locale()) {
    __bw_hook_lost();
    return strxfrm(to, from, bytes);
  }
  length = strlen(from);
  if (length < bytes) strcpy(to, from);
  return length;
}

/* GNU: what stands behind the last slash. */
char *__bw_model_basename(const char *path) {
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : (char *)path;
}

/* POSIX: trailing slashes do not count, and are cut off. */
char *__bw_model___xpg_basename(char *path) {
  size_t end, start;
  if (!path || !*path) return ".";
  end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  if (end == 1 && path[0] == '/') return path + strlen(path) - 1;
  if (path[end]) path[end] = 0;
  start = end;
  while (start > 0 && path[start - 1] != '/') start--;
  return path + start;
}

char *__bw_model_dirname(char *path) {
  size_t end;
  if (!path || !*path) return ".";
  end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  while (end > 0 && path[end - 1] != '/') end--;
  if (end == 0) return ".";
  while (end > 1 && path[end - 1] == '/') end--;
  if (end == 1 && path[0] == '/' && path[1] == '/' && path[2] != '/') end = 2; /* two leading slashes are a place of their own */
  path[end] = 0;
  return path;
}
