/* Random bytes that are the same in every run: in the search, under the judge, in a replay. A program that draws the seed of a hash
 * table or of a simulation goes the same way each time, so a test shows again what it showed once.
 *
 * Linked into the instrumented program (without instrumentation) and into the judge's. The functions are weak: a program's own of
 * such a name comes first. What is opened is looked at when it is open, so that a path that nobody may read stays the kernel's
 * business; a device of random bytes has a file of ours in its place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#define OURS __attribute__((weak))

/* Bytes that differ from each other, and further ones that are 0: a reader that wants more is rare, and must come to an end. */
enum { DRAWN = 1 << 14, LENGTH = 1 << 20 };

/* SplitMix64. Threads may draw at the same time. */
static uint64_t random_bits(void) {
  static uint64_t drawn;
  uint64_t bits = __atomic_add_fetch(&drawn, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

static void random_fill(unsigned char *to, size_t length) {
  for (size_t at = 0; at < length; at++) to[at] = (unsigned char)random_bits();
}

OURS ssize_t getrandom(void *to, size_t length, unsigned flags) {
  if (flags & ~7u) {
    errno = EINVAL;
    return -1;
  }
  random_fill(to, length);
  return (ssize_t)length;
}

OURS int getentropy(void *to, size_t length) {
  if (length > 256) {
    errno = EIO;
    return -1;
  }
  random_fill(to, length);
  return 0;
}

OURS uint32_t arc4random(void) { return (uint32_t)random_bits(); }

OURS void arc4random_buf(void *to, size_t length) { random_fill(to, length); }

OURS uint32_t arc4random_uniform(uint32_t bound) { return bound ? (uint32_t)random_bits() % bound : 0; }

/* Puts a file of ours behind a descriptor that is a device of random bytes. */
static void make_same(int file) {
  int kept = errno;
  struct stat status;
  if (file >= 0 && !fstat(file, &status) && S_ISCHR(status.st_mode) && major(status.st_rdev) == 1 &&
      (minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9)) {
    int ours = memfd_create("random", MFD_CLOEXEC);
    if (ours >= 0) {
      unsigned char block[512];
      int written = 1;
      for (int at = 0; written && at < DRAWN; at += sizeof block) {
        random_fill(block, sizeof block);
        written = write(ours, block, sizeof block) == sizeof block;
      }
      if (written && !ftruncate(ours, LENGTH) && !lseek(ours, 0, SEEK_SET))
        dup3(ours, file, fcntl(file, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
      close(ours);
    }
  }
  errno = kept;
}

static int made_same(int file) {
  make_same(file);
  return file;
}

/* The mode of a new file; none is given where none is made. */
#define MODE(flags)                                              \
  mode_t mode = 0;                                               \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list more;                                                \
    va_start(more, flags);                                       \
    mode = va_arg(more, mode_t);                                 \
    va_end(more);                                                \
  }

static int opened(int folder, const char *path, int flags, mode_t mode) {
  return made_same((int)syscall(SYS_openat, folder, path, flags, mode));
}

/* Without this flag a 32-bit program can open no large file. */
enum { LARGE = O_LARGEFILE };

#define OPENS(name, more_flags)                               \
  OURS int name(const char *path, int flags, ...) {           \
    MODE(flags)                                               \
    return opened(AT_FDCWD, path, flags | more_flags, mode);  \
  }

#define OPENS_AT(name, more_flags)                            \
  OURS int name(int folder, const char *path, int flags, ...) { \
    MODE(flags)                                               \
    return opened(folder, path, flags | more_flags, mode);    \
  }

OPENS(open, 0)
OPENS(open64, LARGE)
OPENS_AT(openat, 0)
OPENS_AT(openat64, LARGE)

/* What `open` is called by where the C library checks calls. */
OURS int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
OURS int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags | LARGE, 0); }

/* The C library's own name of it. */
FILE *_IO_fopen(const char *path, const char *mode);

OURS FILE *fopen(const char *path, const char *mode) {
  FILE *file = _IO_fopen(path, mode);
  if (file) make_same(fileno(file));
  return file;
}

OURS FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
