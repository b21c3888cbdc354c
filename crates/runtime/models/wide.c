/* Models of wide and multibyte characters. ASCII is the same in every locale that the C library knows; a character beyond it
 * is pinned and given to the C library. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

void __bw_hook_pin(unsigned long value);
void __bw_hook_pin_text(const char *from, const char *to);

static int between(wint_t c, wint_t low, wint_t high) { return c - low <= high - low; }
static int is_ascii(wint_t c) { return c < 128; }

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
  __bw_hook_pin((unsigned)c);
  return btowc(c);
}

int __bw_model_wctob(wint_t c) {
  if (is_ascii(c)) return (int)c;
  __bw_hook_pin(c);
  return wctob(c);
}

int __bw_model_wcwidth(wchar_t c) {
  if (is_ascii((wint_t)c)) return ((c != 0) & (between((wint_t)c, 32, 126) ^ 1)) ? -1 : c != 0;
  __bw_hook_pin((unsigned)c);
  return wcwidth(c);
}

static mbstate_t own; /* of calls without a state */

size_t __bw_model_mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
  if (!state) state = &own;
  if (s && n > 0 && mbsinit(state) && is_ascii((unsigned char)*s)) {
    if (to) *to = *s;
    return *s ? 1 : 0; /* decided: callers go on from there */
  }
  if (s) __bw_hook_pin_text(s, s + (n < MB_CUR_MAX ? n : MB_CUR_MAX));
  return mbrtowc(to, s, n, state);
}

size_t __bw_model_mbrlen(const char *s, size_t n, mbstate_t *state) {
  static mbstate_t lengths;
  return __bw_model_mbrtowc(NULL, s, n, state ? state : &lengths);
}

int __bw_model_mbtowc(wchar_t *to, const char *s, size_t n) {
  if (s && n > 0 && is_ascii((unsigned char)*s)) {
    if (to) *to = *s;
    return *s ? 1 : 0; /* decided: callers go on from there */
  }
  if (s) __bw_hook_pin_text(s, s + (n < MB_CUR_MAX ? n : MB_CUR_MAX));
  return mbtowc(to, s, n);
}

int __bw_model_mblen(const char *s, size_t n) { return __bw_model_mbtowc(NULL, s, n); }

size_t __bw_model_wcrtomb(char *to, wchar_t c, mbstate_t *state) {
  if (!state) state = &own;
  if (to && mbsinit(state) && is_ascii((wint_t)c)) {
    *to = (char)c;
    return 1;
  }
  __bw_hook_pin((unsigned)c);
  return wcrtomb(to, c, state);
}

int __bw_model_wctomb(char *to, wchar_t c) {
  if (to && is_ascii((wint_t)c)) {
    *to = (char)c;
    return 1;
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
