/* Models of wide and multibyte characters. ASCII is the same in every locale that the C library knows, and the bytes of other
 * characters are those of UTF-8 where the locale has it. Whatever else there is, classes of characters beyond ASCII among it, is
 * pinned and given to the C library. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

void __bw_hook_pin(unsigned long value);
void __bw_hook_pin_text(const char *from, const char *to);

static int between(wint_t c, wint_t low, wint_t high) { return c - low <= high - low; }
static int is_ascii(wint_t c) { return c < 128; }

/* No other encoding of the C library has characters of so many bytes (locale/programs/charmap.c). */
static int is_utf8(void) { return MB_CUR_MAX == 6; }
static int follows(unsigned char c) { return (c & 0xc0) == 0x80; }
static int is_surrogate(wint_t c) { return between(c, 0xd800, 0xdfff); }

/* How many bytes a character beyond ASCII has that begins here, and which one it is; 0 where there is none that is whole and in
 * UTF-8. Each byte is decided by itself: callers go on from there. */
static size_t decoded(wchar_t *to, const char *text, size_t n) {
  const unsigned char *s = (const unsigned char *)text;
  wint_t c;
  if (n < 2 || !is_utf8()) return 0;
  if (between(s[0], 0xc2, 0xdf)) {
    if (!follows(s[1])) return 0;
    *to = (s[0] & 31) << 6 | (s[1] & 63);
    return 2;
  }
  if (n >= 3 && between(s[0], 0xe0, 0xef)) {
    if (!follows(s[1])) return 0;
    if (!follows(s[2])) return 0;
    c = (wint_t)((s[0] & 15) << 12 | (s[1] & 63) << 6 | (s[2] & 63));
    if ((c < 0x800) | is_surrogate(c)) return 0;
    *to = (wchar_t)c;
    return 3;
  }
  if (n >= 4 && between(s[0], 0xf0, 0xf4)) {
    if (!follows(s[1])) return 0;
    if (!follows(s[2])) return 0;
    if (!follows(s[3])) return 0;
    c = (wint_t)((s[0] & 7) << 18 | (s[1] & 63) << 12 | (s[2] & 63) << 6 | (s[3] & 63));
    if (!between(c, 0x10000, 0x10ffff)) return 0;
    *to = (wchar_t)c;
    return 4;
  }
  return 0;
}

/* Writes a character beyond ASCII in UTF-8: how many bytes it has, or 0 where it has none, or another encoding has them. */
static size_t encoded(char *to, wint_t c) {
  if (!is_utf8()) return 0;
  if (between(c, 0x80, 0x7ff)) {
    to[0] = (char)(0xc0 | c >> 6);
    to[1] = (char)(0x80 | (c & 63));
    return 2;
  }
  if (between(c, 0x800, 0xffff)) {
    if (is_surrogate(c)) return 0;
    to[0] = (char)(0xe0 | c >> 12);
    to[1] = (char)(0x80 | (c >> 6 & 63));
    to[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  if (between(c, 0x10000, 0x10ffff)) {
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
  }
  return 0;
}

#define CLASS(name, test)                           \
  int __bw_model_##name(wint_t c) {                 \
    if (is_ascii(c)) return test;                   \
    __bw_hook_pin(c);                               \
    return name(c);                                 \
  }

CLASS(iswupper, between(c, 'A', 'Z'))
CLASS(iswlower, between(c, 'a', 'z'))
CLASS(iswalpha, between(c | 32, 'a', 'z'))
CLASS(iswdigit, between(c, '0', '9'))
CLASS(iswxdigit, between(c, '0', '9') | between(c | 32, 'a', 'f'))
CLASS(iswalnum, between(c, '0', '9') | between(c | 32, 'a', 'z'))
CLASS(iswspace, between(c, '\t', '\r') | (c == ' '))
CLASS(iswblank, (c == ' ') | (c == '\t'))
CLASS(iswcntrl, between(c, 0, 31) | (c == 127))
CLASS(iswprint, between(c, 32, 126))
CLASS(iswgraph, between(c, 33, 126))
CLASS(iswpunct, between(c, 33, 47) | between(c, 58, 64) | between(c, 91, 96) | between(c, 123, 126))

wint_t __bw_model_towlower(wint_t c) {
  if (is_ascii(c)) return c + ((wint_t)between(c, 'A', 'Z') << 5);
  __bw_hook_pin(c);
  return towlower(c);
}

wint_t __bw_model_towupper(wint_t c) {
  if (is_ascii(c)) return c - ((wint_t)between(c, 'a', 'z') << 5);
  __bw_hook_pin(c);
  return towupper(c);
}

wint_t __bw_model_btowc(int c) {
  if (is_ascii((wint_t)c)) return (wint_t)c;
  if (is_utf8() && between((wint_t)c, 128, 255)) return WEOF;
  __bw_hook_pin((unsigned)c);
  return btowc(c);
}

int __bw_model_wctob(wint_t c) {
  if (is_ascii(c)) return (int)c;
  if (is_utf8()) return EOF;
  __bw_hook_pin(c);
  return wctob(c);
}

int __bw_model_wcwidth(wchar_t c) {
  if (is_ascii((wint_t)c)) return ((c != 0) & (between((wint_t)c, 32, 126) ^ 1)) ? -1 : c != 0;
  __bw_hook_pin((unsigned)c);
  return wcwidth(c);
}

/* How many bytes the character has that begins here, 0 for the end of a text; -1 where that is for the C library to say. */
static int character(wchar_t *to, const char *s, size_t n) {
  wchar_t wide;
  size_t used;
  if (is_ascii((unsigned char)*s)) {
    if (to) *to = *s;
    return *s ? 1 : 0; /* decided: callers go on from there */
  }
  used = decoded(&wide, s, n);
  if (!used) return -1;
  if (to) *to = wide;
  return (int)used;
}

static mbstate_t own; /* of calls without a state */

size_t __bw_model_mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
  if (!state) state = &own;
  if (s && n > 0 && mbsinit(state)) {
    int used = character(to, s, n);
    if (used >= 0) return (size_t)used;
  }
  if (s) __bw_hook_pin_text(s, s + (n < MB_CUR_MAX ? n : MB_CUR_MAX));
  return mbrtowc(to, s, n, state);
}

size_t __bw_model_mbrlen(const char *s, size_t n, mbstate_t *state) {
  static mbstate_t lengths;
  return __bw_model_mbrtowc(NULL, s, n, state ? state : &lengths);
}

int __bw_model_mbtowc(wchar_t *to, const char *s, size_t n) {
  static int is_partial; /* a character was cut off: the C library may go on with it */
  if (s && n > 0 && !is_partial) {
    int used = character(to, s, n);
    if (used >= 0) return used;
  }
  if (s) __bw_hook_pin_text(s, s + (n < MB_CUR_MAX ? n : MB_CUR_MAX));
  int used = mbtowc(to, s, n);
  is_partial = s && used < 0;
  return used;
}

int __bw_model_mblen(const char *s, size_t n) { return __bw_model_mbtowc(NULL, s, n); }

size_t __bw_model_wcrtomb(char *to, wchar_t c, mbstate_t *state) {
  if (!state) state = &own;
  if (to && mbsinit(state) && is_ascii((wint_t)c)) {
    *to = (char)c;
    return 1;
  }
  if (to && mbsinit(state)) {
    size_t used = encoded(to, (wint_t)c);
    if (used) return used;
  }
  __bw_hook_pin((unsigned)c);
  return wcrtomb(to, c, state);
}

int __bw_model_wctomb(char *to, wchar_t c) {
  if (to && is_ascii((wint_t)c)) {
    *to = (char)c;
    return 1;
  }
  if (to) {
    size_t used = encoded(to, (wint_t)c);
    if (used) return (int)used;
  }
  __bw_hook_pin((unsigned)c);
  return wctomb(to, c);
}

size_t __bw_model_mbsnrtowcs(wchar_t *to, const char **from, size_t bytes, size_t room, mbstate_t *state) {
  const char *s = *from, *end = bytes > (size_t)PTRDIFF_MAX ? NULL : s + bytes;
  size_t count = 0;
  mbstate_t copy;
  if (!state) state = &own;
  if (!to) {
    copy = *state;
    state = &copy;
  }
  for (; (!to || count < room) && (!end || s < end); count++) {
    size_t used = __bw_model_mbrtowc(to ? to + count : NULL, s, end ? (size_t)(end - s) : MB_LEN_MAX, state);
    if (used == (size_t)-1) {
      if (to) *from = s;
      return used;
    }
    if (used == (size_t)-2) {
      s = end;
      break;
    }
    if (used == 0) {
      if (to) *from = NULL;
      return count;
    }
    s += used;
  }
  if (to) *from = s;
  return count;
}

size_t __bw_model_mbsrtowcs(wchar_t *to, const char **from, size_t room, mbstate_t *state) {
  return __bw_model_mbsnrtowcs(to, from, (size_t)-1, room, state);
}

size_t __bw_model_mbstowcs(wchar_t *to, const char *from, size_t room) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  return __bw_model_mbsnrtowcs(to, &from, (size_t)-1, room, &state);
}

size_t __bw_model_wcsrtombs(char *to, const wchar_t **from, size_t room, mbstate_t *state) {
  const wchar_t *s = *from;
  size_t count = 0;
  mbstate_t copy;
  if (!state) state = &own;
  if (!to) {
    copy = *state;
    state = &copy;
  }
  for (;; s++) {
    char bytes[MB_LEN_MAX];
    size_t used;
    if (to && count == room) break;
    used = __bw_model_wcrtomb(bytes, *s, state);
    if (used == (size_t)-1) {
      if (to) *from = s;
      return used;
    }
    if (to && used > room - count) break;
    if (to) memcpy(to + count, bytes, used);
    if (*s == 0) {
      if (to) *from = NULL;
      return count + used - 1;
    }
    count += used;
  }
  if (to) *from = s;
  return count;
}

size_t __bw_model_wcstombs(char *to, const wchar_t *from, size_t room) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  return __bw_model_wcsrtombs(to, &from, room, &state);
}

/* Strings of wide characters. */

size_t __bw_model_wcslen(const wchar_t *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

size_t __bw_model_wcsnlen(const wchar_t *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n]) n++;
  return n;
}

int __bw_model_wcsncmp(const wchar_t *a, const wchar_t *b, size_t most) {
  for (; most > 0; a++, b++, most--)
    if (*a != *b || *a == 0) return (*a > *b) - (*a < *b);
  return 0;
}

int __bw_model_wcscmp(const wchar_t *a, const wchar_t *b) { return __bw_model_wcsncmp(a, b, (size_t)-1); }

int __bw_model_wmemcmp(const wchar_t *a, const wchar_t *b, size_t count) {
  for (; count > 0; a++, b++, count--)
    if (*a != *b) return *a > *b ? 1 : -1;
  return 0;
}

wchar_t *__bw_model_wcscpy(wchar_t *to, const wchar_t *from) {
  return memmove(to, from, (__bw_model_wcslen(from) + 1) * sizeof *to);
}

wchar_t *__bw_model_wcsncpy(wchar_t *to, const wchar_t *from, size_t most) {
  size_t n = __bw_model_wcsnlen(from, most);
  memcpy(to, from, n * sizeof *to);
  memset(to + n, 0, (most - n) * sizeof *to);
  return to;
}

wchar_t *__bw_model_wcscat(wchar_t *to, const wchar_t *from) {
  __bw_model_wcscpy(to + __bw_model_wcslen(to), from);
  return to;
}

wchar_t *__bw_model_wcsdup(const wchar_t *s) {
  size_t bytes = (__bw_model_wcslen(s) + 1) * sizeof *s;
  wchar_t *copy = malloc(bytes);
  return copy ? memcpy(copy, s, bytes) : NULL;
}

wchar_t *__bw_model_wcschr(const wchar_t *s, wchar_t wanted) {
  for (;; s++) {
    if (*s == wanted) return (wchar_t *)s;
    if (*s == 0) return NULL;
  }
}

wchar_t *__bw_model_wcsrchr(const wchar_t *s, wchar_t wanted) {
  const wchar_t *end = s + __bw_model_wcslen(s);
  for (;; end--) {
    if (*end == wanted) return (wchar_t *)end;
    if (end == s) return NULL;
  }
}

wchar_t *__bw_model_wcsstr(const wchar_t *s, const wchar_t *wanted) {
  for (;; s++) {
    size_t i = 0;
    while (wanted[i] && s[i] == wanted[i]) i++;
    if (!wanted[i]) return (wchar_t *)s;
    if (!s[i]) return NULL;
  }
}

wchar_t *__bw_model_wmemchr(const wchar_t *s, wchar_t wanted, size_t count) {
  for (; count > 0; s++, count--)
    if (*s == wanted) return (wchar_t *)s;
  return NULL;
}

wchar_t *__bw_model_wmemcpy(wchar_t *to, const wchar_t *from, size_t count) { return memcpy(to, from, count * sizeof *to); }
wchar_t *__bw_model_wmemmove(wchar_t *to, const wchar_t *from, size_t count) { return memmove(to, from, count * sizeof *to); }
wchar_t *__bw_model_wmemset(wchar_t *to, wchar_t value, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = value;
  return to;
}
