/* bothways.h: inputs for bothways, the test generator. Plain C.
 *
 *   int x; bw_int(&x, "x");            x is an input named "x"
 *   bw_bytes(buffer, n, "buffer");     so is each byte of the buffer
 *   bw_assume(x > 0);                  only such inputs are of interest
 *   bw_reach_error();                  a test that gets here has found an error
 *
 * Compiled by `bothways cc`, the functions are the tool's. Compiled by any other compiler, this header brings its own: they
 * read the values of the test file that the environment variable BOTHWAYS_TEST names (one value a line, see the manual), and
 * give 0 when there is none.
 */
#ifndef BOTHWAYS_H
#define BOTHWAYS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define BW_BOOL bool
#else
#define BW_BOOL _Bool
#endif

#ifdef __BOTHWAYS__

void bw_bool(BW_BOOL *, const char *name);
void bw_char(char *, const char *name);
void bw_schar(signed char *, const char *name);
void bw_uchar(unsigned char *, const char *name);
void bw_short(short *, const char *name);
void bw_ushort(unsigned short *, const char *name);
void bw_int(int *, const char *name);
void bw_uint(unsigned int *, const char *name);
void bw_long(long *, const char *name);
void bw_ulong(unsigned long *, const char *name);
void bw_longlong(long long *, const char *name);
void bw_ulonglong(unsigned long long *, const char *name);
void bw_float(float *, const char *name);
void bw_double(double *, const char *name);
void bw_bytes(void *, size_t bytes, const char *name);
void bw_assume(int condition);
void bw_reach_error(void) __attribute__((noreturn));

#else /* without the tool */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define BW_UNUSED __attribute__((unused))
#else
#define BW_UNUSED
#endif

/* The next byte of a `bytes` line, or the next value of any other line, as 64 bits. */
static BW_UNUSED unsigned long long bw__next(void) {
  static FILE *bw__file;
  static int bw__opened;
  static char bw__line[1 << 16];
  static const char *bw__hex;
  char name[256], type[32], *start;
  int length, offset = 0, skipped;
  if (!bw__opened) {
    const char *path = getenv("BOTHWAYS_TEST");
    bw__opened = 1;
    bw__file = path ? fopen(path, "r") : NULL;
    if (bw__file && !fgets(bw__line, sizeof bw__line, bw__file)) bw__line[0] = 0;
  }
  for (;;) {
    if (bw__hex && bw__hex[0] && bw__hex[1] && strchr("0123456789abcdefABCDEF", bw__hex[0])) {
      char two[3];
      two[0] = bw__hex[0];
      two[1] = bw__hex[1];
      two[2] = 0;
      bw__hex += 2;
      return strtoull(two, NULL, 16);
    }
    bw__hex = NULL;
    if (!bw__file || !fgets(bw__line, sizeof bw__line, bw__file)) return 0;
    start = strchr(bw__line, '#');
    if (start) *start = 0;
    length = sscanf(bw__line, "%255s %31s %n", name, type, &offset);
    skipped = length < 2 || strcmp(type, "stream") == 0 || strcmp(type, "unset") == 0;
    if (skipped) continue;
    if (strcmp(type, "bytes") == 0) {
      bw__hex = bw__line + offset;
      continue;
    }
    start = bw__line + offset;
    if (start[0] == '-') return (unsigned long long)strtoll(start, NULL, 10);
    return strtoull(start, NULL, start[0] == '0' && start[1] == 'x' ? 16 : 10);
  }
}

#define BW__DEFINE(type, function)                                     \
  static BW_UNUSED void function(type *address, const char *name) {    \
    (void)name;                                                        \
    *address = (type)bw__next();                                       \
  }
BW__DEFINE(BW_BOOL, bw_bool)
BW__DEFINE(char, bw_char)
BW__DEFINE(signed char, bw_schar)
BW__DEFINE(unsigned char, bw_uchar)
BW__DEFINE(short, bw_short)
BW__DEFINE(unsigned short, bw_ushort)
BW__DEFINE(int, bw_int)
BW__DEFINE(unsigned int, bw_uint)
BW__DEFINE(long, bw_long)
BW__DEFINE(unsigned long, bw_ulong)
BW__DEFINE(long long, bw_longlong)
BW__DEFINE(unsigned long long, bw_ulonglong)
#undef BW__DEFINE

static BW_UNUSED void bw_float(float *address, const char *name) {
  unsigned int bits = (unsigned int)bw__next();
  (void)name;
  memcpy(address, &bits, sizeof *address);
}

static BW_UNUSED void bw_double(double *address, const char *name) {
  unsigned long long bits = bw__next();
  (void)name;
  memcpy(address, &bits, sizeof *address);
}

static BW_UNUSED void bw_bytes(void *address, size_t bytes, const char *name) {
  unsigned char *to = (unsigned char *)address;
  size_t i;
  (void)name;
  for (i = 0; i < bytes; i++) to[i] = (unsigned char)bw__next();
}

static BW_UNUSED void bw_assume(int condition) {
  if (!condition) exit(0);
}

static BW_UNUSED void bw_reach_error(void) { abort(); }

#endif /* __BOTHWAYS__ */

#ifdef __cplusplus
}
#endif

#endif
