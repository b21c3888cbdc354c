//! The program that tests are tried with before they are written: those whose numbers it is told, in their order.

use super::check::Check;
use super::flavour::Flavour;
use super::flavour::assert::Assert;

/// The flavour of the trial program.
pub(super) struct Verify;

impl Flavour for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn summary(&self) -> &'static str {
        "for bothways itself"
    }

    fn include(&self, _function: &str) -> String {
        "#undef NDEBUG\n#include <assert.h>\n\
         void bw_trial_begin(void);\nvoid bw_trial_made(void *);\nvoid bw_trial_into(const char *);\n\
         void bw_trial_gone(int, const char *, const void *);\nvoid bw_trial_new(int, const char *, const void *);\n"
            .to_owned()
    }

    fn check(&self, check: &Check) -> String {
        Assert.check(check)
    }

    fn head(&self, test: &str) -> String {
        Assert.head(test)
    }

    fn compile(&self, file: &str) -> String {
        Assert.compile(file)
    }

    /// Before each test its number goes to a file, so that it is known which one ended the process.
    fn tail(&self, tests: &[String]) -> String {
        let calls: String = tests
            .iter()
            .map(|test| {
                let number = test.trim_start_matches("test_").trim_start_matches('0');
                let number = if number.is_empty() { "0" } else { number };
                format!(
                    "        if (number == {number}) {{\n            bw_trial_begin();\n            {test}();\n        }}\n"
                )
            })
            .collect();
        format!(
            "int main(int argc, char **argv)\n{{\n    int i;\n    bw_trial_into(argv[1]);\n    for (i = 2; i < argc; i++) {{\n        \
             int number = atoi(argv[i]);\n        FILE *progress = fopen(argv[1], \"a\");\n        \
             if (!progress)\n            return 1;\n        fprintf(progress, \"%d\\n\", number);\n        \
             fclose(progress);\n{calls}    }}\n    _exit(0);\n}}\n"
        )
    }
}

/// Statements that ask what became of the objects that the test made, and of pointers that the call left.
pub(super) fn questions(number: u32, made: &[String], new: &[String]) -> Vec<String> {
    let quoted = |place: &String| place.replace('\\', "\\\\").replace('"', "\\\"");
    let gone = made.iter().map(|made| {
        let name = quoted(made);
        format!("bw_trial_gone({number}, \"{name}\", (const void *)({made}));")
    });
    let new = new.iter().map(|place| {
        let name = quoted(place);
        // Who frees a stream does not close it.
        format!(
            "if (!__builtin_types_compatible_p(__typeof__({place}), FILE *)) bw_trial_new({number}, \"{name}\", (const void *)({place}));"
        )
    });
    gone.chain(new).collect()
}

/// C text that the trial is linked with: it says of memory whose it is, in the file `PROGRESS-owners`.
///
/// A block that a test made stays where it is when the code frees it, so that no other gets its address. What the code allocated is
/// the test's if no variable of the program, and no other such block, holds its address. With `BW_STREAMS` only where the code may
/// write is minded, and whether it asks for the time: then there is the file that `BW_CLOCK` names. With `BW_LATER` it is four years later.
pub const OWNERS: &str = r#"#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
extern char __data_start, _end;

/* The trial, and the code that it tries, may write in the folder that it runs in, and not where the C library makes such a file. */
__attribute__((weak)) FILE *tmpfile(void) {
  static int count;
  char name[32];
  sprintf(name, "bw_stream%d", count++);
  return fopen(name, "w+");
}

#ifndef BW_STREAMS
enum { SLOTS = 1 << 14, MADE = 4096 };
struct owners {
  void *live[SLOTS];
  void *made[MADE];
  char gone[MADE];
  unsigned lives, mades, full;
};
static struct owners *owners;
static char busy, path[4096];

static void lock(void) { while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {} }
static void unlock(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

static int made_at(const void *at) {
  unsigned i;
  for (i = 0; owners && i < owners->mades; i++) if (owners->made[i] == at) return (int)i;
  return -1;
}

static void **slot(const void *at) {
  size_t i = ((uintptr_t)at >> 4) % SLOTS, n;
  for (n = 0; n < SLOTS; n++, i = (i + 1) % SLOTS)
    if (!owners->live[i] || owners->live[i] == at) return &owners->live[i];
  return NULL;
}

static void born(void *at) {
  void **place;
  if (!owners || !at) return;
  lock();
  if (owners->lives >= SLOTS / 2) owners->full = 1;
  else if ((place = slot(at)) && !*place) { *place = at; owners->lives++; }
  unlock();
}

/* What stands behind it may have been put there because its own place was taken. */
static void forget(const void *at) {
  void **place, *moved;
  size_t i;
  if (!owners || !at) return;
  lock();
  place = slot(at);
  if (place && *place) {
    *place = NULL;
    owners->lives--;
    for (i = (size_t)(place - owners->live + 1) % SLOTS; (moved = owners->live[i]); i = (i + 1) % SLOTS) {
      owners->live[i] = NULL;
      *slot(moved) = moved;
    }
  }
  unlock();
}

__attribute__((weak)) void *malloc(size_t n) { void *at = __libc_malloc(n); born(at); return at; }
__attribute__((weak)) void *calloc(size_t a, size_t b) { void *at = __libc_calloc(a, b); born(at); return at; }
__attribute__((weak)) void free(void *at) {
  int made = at ? made_at(at) : -1;
  if (made >= 0) { owners->gone[made] = 1; return; }
  forget(at);
  __libc_free(at);
}
__attribute__((weak)) void *realloc(void *at, size_t n) {
  int made = at ? made_at(at) : -1;
  void *next;
  if (made < 0) {
    forget(at);
    next = __libc_realloc(at, n);
    born(next ? next : n ? at : NULL);
    return next;
  }
  next = malloc(n);
  if (next) {
    size_t old = malloc_usable_size(at);
    memcpy(next, at, old < n ? old : n);
    owners->gone[made] = 1;
  }
  return next;
}

void bw_trial_into(const char *progress) { snprintf(path, sizeof path, "%s-owners", progress); }

void bw_trial_begin(void) {
  if (owners) munmap(owners, sizeof *owners);
  owners = mmap(NULL, sizeof *owners, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (owners == MAP_FAILED) owners = NULL;
}

void bw_trial_made(void *at) {
  forget(at);
  if (owners && owners->mades < MADE) owners->made[owners->mades++] = at;
}

static void tell(const char *what, int number, const char *name) {
  int file = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return;
  dprintf(file, "%s %d %s\n", what, number, name);
  close(file);
}

void bw_trial_gone(int number, const char *name, const void *at) {
  int made = made_at(at);
  if (made >= 0 && owners->gone[made]) tell("gone", number, name);
}

static int holds(const void *from, size_t bytes, const void *at) {
  size_t i;
  for (i = 0; i + sizeof at <= bytes; i += sizeof at)
    if (!memcmp((const char *)from + i, &at, sizeof at)) return 1;
  return 0;
}

void bw_trial_new(int number, const char *name, const void *at) {
  char *data = (char *)(((uintptr_t)&__data_start + 7) & ~(uintptr_t)7);
  size_t i;
  void **place;
  if (!owners || owners->full || made_at(at) >= 0) return;
  place = slot(at);
  if (!place || !*place || holds(data, (size_t)(&_end - data), at)) return;
  for (i = 0; i < SLOTS; i++) {
    void *other = owners->live[i];
    if (other && holds(other, malloc_usable_size(other), at)) return;
  }
  tell("new", number, name);
}
#else
/* Another day of the week, hour, minute and second; before 2038 for some years to come. */
static long later(void) {
  const char *note = getenv("BW_CLOCK");
  int file = note ? open(note, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
  if (file >= 0) close(file);
  return getenv("BW_LATER") ? 130000000 : 0;
}

__attribute__((weak)) int clock_gettime(clockid_t clock, struct timespec *at) {
  int result = (int)syscall(SYS_clock_gettime, clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += later();
  return result;
}

__attribute__((weak)) int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  int result = (int)syscall(SYS_gettimeofday, at, zone);
  if (result == 0 && at) at->tv_sec += later();
  return result;
}

__attribute__((weak)) time_t time(time_t *at) {
  struct timeval now;
  gettimeofday(&now, NULL);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
#endif
"#;
