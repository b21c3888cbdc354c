/* Models of strings, numbers and wide characters against the C library, with random input: prints the first difference and fails. */
#define _GNU_SOURCE
#include "hooks.h"
#include <inttypes.h>
#include <libgen.h>
#undef basename
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

static unsigned long state = 88172645463325252ul;
static unsigned long next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static unsigned below(unsigned n) { return (unsigned)(next() % n); }

static void any_text(char *to, const char *letters, unsigned most) {
  unsigned n = below(most);
  for (unsigned i = 0; i < n; i++) *to++ = letters[below((unsigned)strlen(letters))];
  *to = 0;
}

static int sign(long x) { return (x > 0) - (x < 0); }

#define EXPECT(condition, ...)      \
  do {                              \
    if (!(condition)) {             \
      printf("line %d: ", __LINE__); \
      printf(__VA_ARGS__);          \
      printf("\n");                 \
      exit(1);                      \
    }                               \
  } while (0)

char *__bw_model_strcasestr(const char *, const char *);
void *__bw_model_memmem(const void *, size_t, const void *, size_t);
void *__bw_model_memccpy(void *, const void *, int, size_t);
char *__bw_model_stpncpy(char *, const char *, size_t);
int __bw_model_strverscmp(const char *, const char *);
int __bw_model_strcoll(const char *, const char *);
size_t __bw_model_strxfrm(char *, const char *, size_t);
char *__bw_model_basename(const char *), *__bw_model___xpg_basename(char *), *__bw_model_dirname(char *);
extern char *basename(const char *);
extern char *__xpg_basename(char *);

static void texts(void) {
  char a[32], b[32], x[64], y[64];
  any_text(a, "aAbB01", 9);
  any_text(b, "aAb0", 4);
  EXPECT(strcasestr(a, b) == __bw_model_strcasestr(a, b), "strcasestr(%s, %s)", a, b);
  size_t n = strlen(a), m = strlen(b);
  EXPECT(memmem(a, n, b, m) == __bw_model_memmem(a, n, b, m), "memmem(%s, %s)", a, b);
  memset(x, '#', sizeof x);
  memset(y, '#', sizeof y);
  unsigned room = below(10);
  char *p = memccpy(x, a, 'b', room), *q = __bw_model_memccpy(y, a, 'b', room);
  EXPECT((p ? p - x : -1) == (q ? q - y : -1) && !memcmp(x, y, sizeof x), "memccpy(%s)", a);
  EXPECT(stpncpy(x, a, room) - x == __bw_model_stpncpy(y, a, room) - y && !memcmp(x, y, sizeof x), "stpncpy(%s)", a);
  any_text(a, "0019a.", 7);
  any_text(b, "0019a.", 7);
  if (below(2)) memcpy(b, a, below((unsigned)strlen(a) + 1));
  EXPECT(sign(strverscmp(a, b)) == sign(__bw_model_strverscmp(a, b)), "strverscmp(%s, %s): %d %d", a, b, strverscmp(a, b),
    __bw_model_strverscmp(a, b));
  EXPECT(sign(strcoll(a, b)) == sign(__bw_model_strcoll(a, b)), "strcoll(%s, %s)", a, b);
  size_t k = strxfrm(x, a, room), l = __bw_model_strxfrm(y, a, room);
  EXPECT(k == l && (k >= room || !strcmp(x, y)), "strxfrm(%s, %u)", a, room);
  any_text(a, "a//b.", 9);
  EXPECT(basename(a) == __bw_model_basename(a), "basename(%s)", a);
  strcpy(b, a);
  p = __xpg_basename(a);
  q = __bw_model___xpg_basename(b);
  EXPECT(!strcmp(p, q) && !strcmp(a, b), "__xpg_basename: %s, %s, left %s, %s", p, q, a, b);
  any_text(a, "a//b.", 9);
  strcpy(b, a);
  p = dirname(a);
  q = __bw_model_dirname(b);
  EXPECT(!strcmp(p, q), "dirname: %s, %s", p, q);
}

intmax_t __bw_model_strtoimax(const char *, char **, int);
uintmax_t __bw_model_strtoumax(const char *, char **, int);
long double __bw_model_strtold(const char *, char **);
div_t __bw_model_div(int, int);
ldiv_t __bw_model_ldiv(long, long);
int __bw_model_ffs(int), __bw_model_ffsl(long);
uint16_t __bw_model_htons(uint16_t);
uint32_t __bw_model_ntohl(uint32_t);
uint16_t htons(uint16_t);
uint32_t ntohl(uint32_t);

static void numbers(void) {
  char a[32], *end1, *end2;
  any_text(a, " -+0x19afz", 9);
  int base = below(2) ? 0 : (int)below(37);
  if (base == 1) base = 16;
  EXPECT(strtoimax(a, &end1, base) == __bw_model_strtoimax(a, &end2, base) && end1 == end2, "strtoimax(%s, %d)", a, base);
  EXPECT(strtoumax(a, &end1, base) == __bw_model_strtoumax(a, &end2, base) && end1 == end2, "strtoumax(%s, %d)", a, base);
  any_text(a, " -.e19", 9);
  EXPECT(strtold(a, &end1) == __bw_model_strtold(a, &end2) && end1 == end2, "strtold(%s)", a);
  long x = (long)next() >> below(64), y = (long)next() >> below(64);
  if ((int)y != 0 && (int)y != -1) {
    div_t d = div((int)x, (int)y), e = __bw_model_div((int)x, (int)y);
    EXPECT(d.quot == e.quot && d.rem == e.rem, "div(%d, %d)", (int)x, (int)y);
    ldiv_t f = ldiv(x, y), g = __bw_model_ldiv(x, y);
    EXPECT(f.quot == g.quot && f.rem == g.rem, "ldiv(%ld, %ld)", x, y);
  }
  x <<= below(64);
  EXPECT(ffs((int)x) == __bw_model_ffs((int)x) && ffsl(x) == __bw_model_ffsl(x), "ffs(%lx)", x);
  EXPECT(htons((uint16_t)x) == __bw_model_htons((uint16_t)x) && ntohl((uint32_t)x) == __bw_model_ntohl((uint32_t)x), "htons");
}

#define CLASSES(X) \
  X(iswupper) X(iswlower) X(iswalpha) X(iswdigit) X(iswxdigit) X(iswalnum) X(iswspace) X(iswblank) X(iswcntrl) X(iswprint) \
  X(iswgraph) X(iswpunct)
#define DECLARE(name) int __bw_model_##name(wint_t);
CLASSES(DECLARE)
wint_t __bw_model_towlower(wint_t), __bw_model_towupper(wint_t), __bw_model_btowc(int);
int __bw_model_wctob(wint_t), __bw_model_wcwidth(wchar_t);
size_t __bw_model_mbrtowc(wchar_t *, const char *, size_t, mbstate_t *);
size_t __bw_model_wcrtomb(char *, wchar_t, mbstate_t *);
size_t __bw_model_mbstowcs(wchar_t *, const char *, size_t), __bw_model_wcstombs(char *, const wchar_t *, size_t);
size_t __bw_model_mbsrtowcs(wchar_t *, const char **, size_t, mbstate_t *);
size_t __bw_model_mbsnrtowcs(wchar_t *, const char **, size_t, size_t, mbstate_t *);
int __bw_model_mbtowc(wchar_t *, const char *, size_t), __bw_model_wctomb(char *, wchar_t);
int __bw_model_wcscmp(const wchar_t *, const wchar_t *);
size_t __bw_model_wcslen(const wchar_t *);
wchar_t *__bw_model_wcschr(const wchar_t *, wchar_t), *__bw_model_wcsrchr(const wchar_t *, wchar_t);
wchar_t *__bw_model_wcsstr(const wchar_t *, const wchar_t *);

static void characters(void) {
  for (wint_t c = 0; c < 0x300; c++) {
    /* Zero or not is what programs look at. */
#define COMPARE(name) EXPECT(!name(c) == !__bw_model_##name(c), #name "(%d)", c);
    CLASSES(COMPARE)
    EXPECT(towlower(c) == __bw_model_towlower(c) && towupper(c) == __bw_model_towupper(c), "towlower(%d)", c);
    EXPECT(wctob(c) == __bw_model_wctob(c), "wctob(%d)", c);
    EXPECT(wcwidth((wchar_t)c) == __bw_model_wcwidth((wchar_t)c), "wcwidth(%d)", c);
    char x[16] = {0}, y[16] = {0};
    EXPECT(wctomb(x, (wchar_t)c) == __bw_model_wctomb(y, (wchar_t)c) && !memcmp(x, y, 16), "wctomb(%d)", c);
  }
  for (int c = -1; c < 256; c++) EXPECT(btowc(c) == __bw_model_btowc(c), "btowc(%d)", c);
}

/* All characters of three and four bytes, there and back. */
static void far_characters(void) {
  for (wchar_t c = 0x300; c < 0x110100; c++) {
    char x[16] = {0}, y[16] = {0};
    mbstate_t s = {0}, t = {0};
    size_t k = wcrtomb(x, c, &s), l = __bw_model_wcrtomb(y, c, &t);
    EXPECT(k == l && !memcmp(x, y, 16), "wcrtomb(%x): %zu %zu", (unsigned)c, k, l);
    wchar_t v = 0, w = 0;
    k = mbrtowc(&v, x, 4, &s);
    l = __bw_model_mbrtowc(&w, x, 4, &t);
    EXPECT(k == l && v == w, "mbrtowc of %x: %zu %zu", (unsigned)c, k, l);
  }
}

static void multibyte(const char *letters) {
  char a[32], x[64], y[64];
  wchar_t v[32], w[32];
  any_text(a, letters, 9);
  mbstate_t s = {0}, t = {0};
  memset(v, 0, sizeof v);
  memset(w, 0, sizeof w);
  for (size_t at = 0; at <= strlen(a);) {
    size_t n = 1 + below(4);
    if (n > strlen(a) + 1 - at) n = strlen(a) + 1 - at;
    size_t k = mbrtowc(v, a + at, n, &s), l = __bw_model_mbrtowc(w, a + at, n, &t);
    EXPECT(k == l && (k > 9 || *v == *w) && !mbsinit(&s) == !mbsinit(&t), "mbrtowc(%s)", a + at);
    if (k == (size_t)-1) break;
    at += k == (size_t)-2 ? n : k == 0 ? 1 : k;
  }
  size_t room = below(8);
  memset(v, 0, sizeof v);
  memset(w, 0, sizeof w);
  EXPECT(mbstowcs(NULL, a, 0) == __bw_model_mbstowcs(NULL, a, 0), "mbstowcs(NULL, %s)", a);
  size_t k = mbstowcs(v, a, room), l = __bw_model_mbstowcs(w, a, room);
  EXPECT(k == l && (k == (size_t)-1 || !memcmp(v, w, sizeof v)), "mbstowcs(%s, %zu): %zu %zu", a, room, k, l);
  const char *p = a, *q = a;
  memset(&s, 0, sizeof s);
  memset(&t, 0, sizeof t);
  k = mbsrtowcs(v, &p, room, &s);
  l = __bw_model_mbsrtowcs(w, &q, room, &t);
  EXPECT(k == l && (k == (size_t)-1 || p == q), "mbsrtowcs(%s, %zu): %zu %zu, %p %p of %p", a, room, k, l, (void *)p, (void *)q, (void *)a);
  /* The two share the C library's state: what one call leaves there is not for the other. */
  mbtowc(NULL, NULL, 0);
  int i = mbtowc(v, a, 3);
  __bw_model_mbtowc(NULL, NULL, 0);
  int j = __bw_model_mbtowc(w, a, 3);
  EXPECT(i == j && (i < 1 || *v == *w), "mbtowc(%s): %d %d", a, i, j);
  if (mbstowcs(v, a, 32) == (size_t)-1) return;
  memset(x, 0, sizeof x);
  memset(y, 0, sizeof y);
  k = wcstombs(x, v, room);
  l = __bw_model_wcstombs(y, v, room);
  EXPECT(k == l && !memcmp(x, y, sizeof x), "wcstombs(%s, %zu): %zu %zu", a, room, k, l);
  EXPECT(wcstombs(NULL, v, 0) == __bw_model_wcstombs(NULL, v, 0), "wcstombs(NULL, %s)", a);
  any_text(a, "aab\xc3\xa9", 5);
  if (mbstowcs(w, a, 32) == (size_t)-1) return;
  EXPECT(sign(wcscmp(v, w)) == sign(__bw_model_wcscmp(v, w)) && wcslen(v) == __bw_model_wcslen(v), "wcscmp");
  EXPECT(wcsstr(v, w) == __bw_model_wcsstr(v, w), "wcsstr");
  EXPECT(wcschr(v, 'b') == __bw_model_wcschr(v, 'b') && wcsrchr(v, 'b') == __bw_model_wcsrchr(v, 'b'), "wcschr");
  EXPECT(wcschr(v, 0) == __bw_model_wcschr(v, 0) && wcsrchr(v, 0) == __bw_model_wcsrchr(v, 0), "wcschr of the end");
}

/* Whole characters among them are frequent. */
#define BYTES "ab\xc3\xa9\xe2\x82\xac"

int main(void) {
  for (int round = 0; round < 100000; round++) {
    texts();
    numbers();
    multibyte(BYTES);
  }
  characters();
  EXPECT(setlocale(LC_ALL, "C.UTF-8"), "no C.UTF-8");
  for (int round = 0; round < 100000; round++) {
    multibyte(BYTES);
    /* Too long, surrogates, beyond the last character, bytes that never occur. */
    multibyte("a\xc3\xa9\xc0\x80\xe0\xa0\xed\x9f\xf0\x90\xf4\x8f\xf5\xff");
    multibyte("\xf0\x9f\x98\x80");
  }
  characters();
  far_characters();
  return 0;
}
