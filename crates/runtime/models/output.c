/* Models of output whose result a program looks at: the character that was written, the number of bytes. The text goes to
 * the C library as it is. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#undef putc
#undef putchar

/* Those that may fail on request (`wire::fail`). */
int __bw_fail_putc(int c, FILE *file);
int __bw_fail_fputc(int c, FILE *file);
size_t __bw_fail_fwrite(const void *from, size_t size, size_t count, FILE *file);
ssize_t __bw_fail_write(int descriptor, const void *from, size_t bytes);

#define BYTE(name, params, call) \
  int __bw_model_##name params { \
    int written = call;          \
    return written < 0 ? written : (unsigned char)c; \
  }

BYTE(putchar, (int c), putchar(c))
BYTE(putchar_unlocked, (int c), putchar_unlocked(c))
BYTE(putc, (int c, FILE *file), __bw_fail_putc(c, file))
BYTE(fputc, (int c, FILE *file), __bw_fail_fputc(c, file))
BYTE(putc_unlocked, (int c, FILE *file), putc_unlocked(c, file))
BYTE(fputc_unlocked, (int c, FILE *file), fputc_unlocked(c, file))

/* The value without its symbols: whether all was written is no decision. */
unsigned long __bw_hook_concrete(unsigned long value);
static int all(size_t written, size_t count) { return written == __bw_hook_concrete(count); }

size_t __bw_model_fwrite(const void *from, size_t size, size_t count, FILE *file) {
  size_t written = __bw_fail_fwrite(from, size, count, file);
  return all(written, count) ? count : written;
}

size_t __bw_model_fwrite_unlocked(const void *from, size_t size, size_t count, FILE *file) {
  size_t written = fwrite_unlocked(from, size, count, file);
  return all(written, count) ? count : written;
}

ssize_t __bw_model_write(int descriptor, const void *from, size_t bytes) {
  ssize_t written = __bw_fail_write(descriptor, from, bytes);
  return written >= 0 && all((size_t)written, bytes) ? (ssize_t)bytes : written;
}
