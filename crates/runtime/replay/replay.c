/* The judge's replay runtime: plain C, linked into the uninstrumented build instead of the instrumented program's runtime.
 *
 * It answers the program's questions for inputs from the test file named by BOTHWAYS_TEST, puts the test's stream behind
 * descriptor 0, and makes sure that the coverage profile is written however the program ends.
 *
 * Test file: the first line is `bothways-test 1`; then one value a line, in the order of the calls: `NAME TYPE VALUE`. Integers
 * are decimal, floats `0x<bits>`; `NAME bytes HEX` is an array of bytes; `stdin stream HEX` is standard input, `fuzz stream HEX`
 * the input of a fuzz target; other streams (arguments, variables, files) are for whoever starts the program, and so is `unset`;
 * `#` starts a comment. Values beyond the file's are 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define WEAK __attribute__((weak))

extern int __llvm_profile_write_file(void) WEAK;
extern void __llvm_profile_set_filename(const char *) WEAK;
extern uint64_t __llvm_profile_get_size_for_buffer(void) WEAK;
extern int __llvm_profile_write_buffer(char *) WEAK;

/* clang's counters are made ready in a constructor of their own unless the program has this symbol. It would be the last one in front
 * of `main`, and it makes folders: a program that begins with a look at `errno` would find EEXIST. */
int __llvm_profile_runtime;
extern void __llvm_profile_initialize(void);

/* Where there is no wider integer, programs ask for none. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 value_t;
#else
typedef unsigned long long value_t;
#endif

static value_t *values;
static size_t value_count, value_room, value_next;

static void push(value_t value) {
  if (value_count == value_room) {
    size_t room = value_room ? 2 * value_room : 1024;
    value_t *grown = mmap(NULL, room * sizeof *grown, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (grown == MAP_FAILED) return;
    if (values) {
      memcpy(grown, values, value_count * sizeof *grown);
      munmap(values, value_room * sizeof *values);
    }
    values = grown;
    value_room = room;
  }
  values[value_count++] = value;
}

static value_t next(void) { return value_next < value_count ? values[value_next++] : 0; }

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Decimal with an optional sign, or 0x and hexadecimal digits. */
static value_t number(const char *text, const char *end) {
  int negative = 0;
  unsigned base = 10;
  value_t result = 0;
  if (text < end && (*text == '-' || *text == '+')) negative = *text++ == '-';
  if (end - text > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text += 2;
  }
  for (; text < end; text++) {
    int d = digit(*text);
    if (d < 0 || d >= (int)base) break;
    result = result * base + (unsigned)d;
  }
  return negative ? -result : result;
}

static void note_stdin(void);

static void replace_stdin(const char *hex, const char *end) {
  int file = memfd_create("stdin", 0);
  if (file < 0) return;
  unsigned char block[4096];
  size_t used = 0;
  for (; end - hex >= 2; hex += 2) {
    int high = digit(hex[0]), low = digit(hex[1]);
    if (high < 0 || low < 0) break;
    block[used++] = (unsigned char)(high << 4 | low);
    if (used == sizeof block) {
      if (write(file, block, used) != (ssize_t)used) break;
      used = 0;
    }
  }
  if (used && write(file, block, used) != (ssize_t)used) return;
  lseek(file, 0, SEEK_SET);
  if (file != 0) {
    dup2(file, 0);
    close(file);
  }
  note_stdin();
}

/* The input of a fuzz target. */
static unsigned char *fuzz_data;
static size_t fuzz_size;

static void set_fuzz(const char *hex, const char *end) {
  fuzz_data = malloc((size_t)(end - hex) / 2 + 1);
  for (; fuzz_data && end - hex >= 2 && digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2)
    fuzz_data[fuzz_size++] = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
}

static const char *word_end(const char *at, const char *end) {
  while (at < end && *at != ' ' && *at != '\t') at++;
  return at;
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  return at;
}

static void read_line(const char *at, const char *end) {
  for (const char *c = at; c < end; c++)
    if (*c == '#' || *c == '\r') end = c;
  at = skip_blanks(at, end);
  const char *name_end = word_end(at, end);
  if (name_end == at) return;
  const char *type = skip_blanks(name_end, end), *type_end = word_end(type, end);
  const char *value = skip_blanks(type_end, end), *value_end = word_end(value, end);
  size_t type_length = (size_t)(type_end - type);
  if (type_length == 6 && !memcmp(type, "stream", 6)) {
    if (name_end - at == 5 && !memcmp(at, "stdin", 5)) replace_stdin(value, value_end);
    if (name_end - at == 4 && !memcmp(at, "fuzz", 4)) set_fuzz(value, value_end);
  } else if (type_length == 5 && !memcmp(type, "unset", 5)) {
  } else if (type_length == 5 && !memcmp(type, "bytes", 5)) {
    for (; value_end - value >= 2; value += 2) push((value_t)(digit(value[0]) << 4 | digit(value[1])));
  } else {
    push(number(value, value_end));
  }
}

static void read_test(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  off_t length = lseek(file, 0, SEEK_END);
  if (length > 0) {
    const char *text = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, file, 0);
    if (text != MAP_FAILED) {
      const char *end = text + length, *line = memchr(text, '\n', (size_t)length);
      line = line ? line + 1 : end;
      while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        read_line(line, stop);
        line = stop + 1;
      }
      munmap((void *)text, (size_t)length);
    }
  }
  close(file);
}

/* Facts for the judge, in the file named by BOTHWAYS_FACTS: `stdin` when something read the test's standard input, whoever it
 * was, and for a crash a line `frame OFFSET` for each call, innermost first, relative to the executable's first byte. The
 * offset is that of the instruction, or of the last byte of the call. */
static char facts_path[4096];
extern const char __executable_start[] WEAK;

static int open_facts(void) {
  return facts_path[0] ? open(facts_path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666) : -1;
}

static void say(int file, const char *text, size_t length) {
  ssize_t count = write(file, text, length);
  (void)count;
}

/* The file behind descriptor 0, and whether the program mapped it. */
static dev_t stdin_device;
static ino_t stdin_inode;
static volatile int is_stdin_mapped;

static void note_stdin(void) {
  struct stat status;
  if (fstat(0, &status) == 0) {
    stdin_device = status.st_dev;
    stdin_inode = status.st_ino;
  }
}

static int is_stdin(int file) {
  struct stat status;
  return stdin_inode && fstat(file, &status) == 0 && status.st_dev == stdin_device && status.st_ino == stdin_inode;
}

static void save_reads(void) {
  static volatile int said;
  if (said || !(is_stdin_mapped || (is_stdin(0) && lseek(0, 0, SEEK_CUR) > 0))) return;
  said = 1;
  int file = open_facts();
  if (file < 0) return;
  say(file, "stdin\n", 6);
  close(file);
}

struct trace {
  int file, left;
  uintptr_t at; /* 0 from where it crashed on: what comes before is the handler. */
};

static _Unwind_Reason_Code save_frame(struct _Unwind_Context *context, void *data) {
  struct trace *trace = data;
  int is_before = 0;
  uintptr_t at = _Unwind_GetIPInfo(context, &is_before), start = (uintptr_t)__executable_start;
  if (trace->at && at != trace->at) return _URC_NO_REASON;
  if (trace->at) {
    trace->at = 0;
  } else if (!is_before) {
    at--;
  }
  char line[32] = "frame ", *to = line + 6;
  if (at >= start) {
    for (int shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[(at - start) >> shift & 15];
    *to++ = '\n';
    say(trace->file, line, (size_t)(to - line));
  }
  return --trace->left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void save_trace(const ucontext_t *context) {
  struct trace trace = {open_facts(), 48, 0};
  if (trace.file < 0) return;
#if defined(__x86_64__)
#ifdef __x86_64__
  trace.at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
  trace.at = (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#endif
#elif defined(__aarch64__)
  trace.at = (uintptr_t)context->uc_mcontext.pc;
#endif
  _Unwind_Backtrace(save_frame, &trace);
  close(trace.file);
}

__attribute__((destructor(101))) static void at_end(void) { save_reads(); }

static void save_profile(void) {
  static volatile int saving;
  if (__sync_lock_test_and_set(&saving, 1)) return;
  save_reads();
  if (__llvm_profile_write_file) __llvm_profile_write_file();
  __sync_lock_release(&saving);
}

/* Where the profile goes: LLVM_PROFILE_FILE with its %p filled in. */
static char profile_path[4096];

static void find_profile_path(void) {
  const char *pattern = getenv("LLVM_PROFILE_FILE");
  if (!pattern || strlen(pattern) + 32 > sizeof profile_path) return;
  const char *hole = strstr(pattern, "%p");
  if (!hole) hole = pattern + strlen(pattern);
  char *to = mempcpy(profile_path, pattern, (size_t)(hole - pattern));
  if (*hole) {
    to += snprintf(to, 32, "%d", (int)getpid());
    strcpy(to, hole + 2);
  } else {
    *to = 0;
  }
}

/* A crash may have left a heap that nobody can use any more, and clang's own writer allocates. */
static int save_without_heap(void) {
  if (!profile_path[0] || !__llvm_profile_get_size_for_buffer || !__llvm_profile_write_buffer) return 0;
  size_t size = __llvm_profile_get_size_for_buffer();
  char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (text == MAP_FAILED) return 0;
  int saved = 0;
  if (__llvm_profile_write_buffer(text) == 0) {
    int file = open(profile_path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    size_t done = 0;
    while (file >= 0 && done < size) {
      ssize_t count = write(file, text + done, size - done);
      if (count <= 0) break;
      done += (size_t)count;
    }
    if (file >= 0) close(file);
    saved = done == size;
  }
  munmap(text, size);
  return saved;
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)info;
  save_reads();
  if (!save_without_heap()) save_profile();
  /* Last: unwinding a broken stack may crash again. */
  if (number != SIGALRM && number != SIGTERM) save_trace(context);
  signal(number, SIG_DFL);
  raise(number);
}

/* In a process that the program forked. */
static int is_child;

static void after_fork_child(void) {
  is_child = 1;
  profile_path[0] = facts_path[0] = 0;
  if (__llvm_profile_set_filename) __llvm_profile_set_filename("/dev/null");
}

static char signal_stack[1 << 16] __attribute__((aligned(16)));

__attribute__((constructor(101))) static void prepare(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT, SIGTERM,
                                SIGALRM, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ, SIGVTALRM,
                                SIGPROF, SIGUSR1, SIGUSR2, SIGHUP, SIGINT,  SIGQUIT, SIGPIPE};
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction now, ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER | SA_SIGINFO;
    /* What the parent ignores stays ignored. */
    if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(numbers[i], &ours, NULL);
  }
  pthread_atfork(NULL, NULL, after_fork_child);
  find_profile_path();
  const char *facts = getenv("BOTHWAYS_FACTS");
  if (facts && strlen(facts) < sizeof facts_path) strcpy(facts_path, facts);
  unsetenv("BOTHWAYS_FACTS");
  const char *path = getenv("BOTHWAYS_TEST");
  if (path) read_test(path);
  unsetenv("BOTHWAYS_TEST");
  __llvm_profile_initialize();
  errno = 0;
}

/* Exits that run no handlers. */
void __real__exit(int) WEAK __attribute__((noreturn));
void __real__Exit(int) WEAK __attribute__((noreturn));
void __real_quick_exit(int) WEAK __attribute__((noreturn));

__attribute__((noreturn)) void __wrap__exit(int status) {
  save_profile();
  __real__exit(status);
}

__attribute__((noreturn)) void __wrap__Exit(int status) {
  save_profile();
  __real__Exit(status);
}

__attribute__((noreturn)) void __wrap_quick_exit(int status) {
  save_profile();
  __real_quick_exit(status);
}

/* A signal that has no handler. */
int __real_raise(int) WEAK;
int __real_kill(pid_t, int) WEAK;

int __wrap_raise(int number) {
  if (number == SIGKILL) save_profile();
  return __real_raise(number);
}

int __wrap_kill(pid_t process, int number) {
  if (number == SIGKILL) save_profile();
  return __real_kill(process, number);
}

/* What is read without moving the position. */
void *__real_mmap(void *, size_t, int, int, int, off_t) WEAK;
void *__real_mmap64(void *, size_t, int, int, int, off_t) WEAK;
ssize_t __real_pread(int, void *, size_t, off_t) WEAK;
ssize_t __real_pread64(int, void *, size_t, off_t) WEAK;

void *__wrap_mmap(void *address, size_t length, int access, int flags, int file, off_t at) {
  if (file >= 0 && is_stdin(file)) is_stdin_mapped = 1;
  return __real_mmap(address, length, access, flags, file, at);
}

void *__wrap_mmap64(void *address, size_t length, int access, int flags, int file, off_t at) {
  if (file >= 0 && is_stdin(file)) is_stdin_mapped = 1;
  return __real_mmap64(address, length, access, flags, file, at);
}

ssize_t __wrap_pread(int file, void *to, size_t length, off_t at) {
  if (is_stdin(file)) is_stdin_mapped = 1;
  return __real_pread(file, to, length, at);
}

ssize_t __wrap_pread64(int file, void *to, size_t length, off_t at) {
  if (is_stdin(file)) is_stdin_mapped = 1;
  return __real_pread64(file, to, length, at);
}

/* The C library makes its file in /tmp, whatever TMPDIR says, and there the sandbox lets no program write. The instrumented program's
 * runtime does the same. */
FILE *__wrap_tmpfile(void) {
  const char *folder = getenv("TMPDIR");
  int file = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_EXCL, 0600);
  if (file < 0) file = memfd_create("tmpfile", 0);
  return file < 0 ? NULL : fdopen(file, "w+");
}

FILE *__wrap_tmpfile64(void) { return __wrap_tmpfile(); }

/* What may not be made where the template says is made in the folder in which the program runs: a shorter name, which the template
 * has afterwards. */
int __real_mkstemp(char *) WEAK;
char *__real_mkdtemp(char *) WEAK;

/* Whether the template was refused where it is, and names the folder of the run now. */
static int moves_here(char *name, size_t length) {
  char *last = length >= 6 && name[0] == '/' ? strrchr(name, '/') : NULL;
  if (errno != EACCES || !last || last == name || last + 6 >= name + length) return 0;
  memset(name + length - 6, 'X', 6);
  name[0] = '.';
  memmove(name + 1, last, name + length + 1 - last);
  return 1;
}

int __wrap_mkstemp(char *name) {
  size_t length = strlen(name);
  int file = __real_mkstemp(name);
  return file < 0 && moves_here(name, length) ? __real_mkstemp(name) : file;
}

int __wrap_mkstemp64(char *name) { return __wrap_mkstemp(name); }

char *__wrap_mkdtemp(char *name) {
  size_t length = strlen(name);
  char *made = __real_mkdtemp(name);
  return !made && moves_here(name, length) ? __real_mkdtemp(name) : made;
}

/* As long as the input and no longer, so that a read beyond it is seen by whoever watches. */
WEAK void __bw_fuzz_input(unsigned char **data, size_t *size) {
  *size = fuzz_size;
  *data = malloc(fuzz_size);
  if (*data && fuzz_size) memcpy(*data, fuzz_data, fuzz_size);
}

/* Inputs. */

/* A single value. A program that asks without end is ended where the search ended it: behind the number of calls that
 * BOTHWAYS_CALLS gives and behind the values of the test, or where the area of the search for inputs is full. */
static value_t ask(void) {
  static unsigned long calls, most;
  if (!calls) {
    const char *text = getenv("BOTHWAYS_CALLS");
    most = text ? strtoul(text, NULL, 10) : 1ul << 20;
  }
  if (most && calls >= most && value_next >= value_count) {
    save_profile();
    if (__real__exit) __real__exit(0);
    exit(0);
  }
  calls++;
  return next();
}

static float next_float(void) {
  uint32_t bits = (uint32_t)ask();
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

static double next_double(void) {
  uint64_t bits = (uint64_t)ask();
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

#define VALUE(type, name) \
  WEAK type __VERIFIER_nondet_##name(void) { return (type)ask(); }
VALUE(_Bool, bool)
VALUE(_Bool, _Bool)
VALUE(char, char)
VALUE(signed char, schar)
VALUE(unsigned char, uchar)
VALUE(short, short)
VALUE(unsigned short, ushort)
VALUE(int, int)
VALUE(unsigned, uint)
VALUE(unsigned, unsigned)
VALUE(long, long)
VALUE(unsigned long, ulong)
VALUE(long long, longlong)
VALUE(unsigned long long, ulonglong)
VALUE(size_t, size_t)
VALUE(long long, loff_t)
VALUE(void *, pointer)
VALUE(char *, pchar)
VALUE(char *, charp)
VALUE(uint8_t, u8)
VALUE(uint16_t, u16)
VALUE(uint32_t, u32)
VALUE(uint64_t, u64)
VALUE(int8_t, s8)
VALUE(int16_t, s16)
VALUE(int32_t, s32)
VALUE(int64_t, s64)
VALUE(unsigned long, sector_t)
VALUE(unsigned long, pthread_t)
#ifdef __SIZEOF_INT128__
VALUE(__int128, int128)
VALUE(unsigned __int128, uint128)
#endif
WEAK float __VERIFIER_nondet_float(void) { return next_float(); }
WEAK double __VERIFIER_nondet_double(void) { return next_double(); }

#define AT(type, name) \
  WEAK void name(type *address, const char *label) { (void)label; *address = (type)ask(); }
AT(_Bool, bw_bool)
AT(char, bw_char)
AT(signed char, bw_schar)
AT(unsigned char, bw_uchar)
AT(short, bw_short)
AT(unsigned short, bw_ushort)
AT(int, bw_int)
AT(unsigned, bw_uint)
AT(long, bw_long)
AT(unsigned long, bw_ulong)
AT(long long, bw_longlong)
AT(unsigned long long, bw_ulonglong)
WEAK void bw_float(float *address, const char *label) { (void)label; *address = next_float(); }
WEAK void bw_double(double *address, const char *label) { (void)label; *address = next_double(); }

#define CREST(type, name) \
  WEAK void name(type *address) { *address = (type)ask(); }
CREST(char, __CrestChar)
CREST(unsigned char, __CrestUChar)
CREST(short, __CrestShort)
CREST(unsigned short, __CrestUShort)
CREST(int, __CrestInt)
CREST(unsigned, __CrestUInt)
CREST(char, CREST_char)
CREST(unsigned char, CREST_unsigned_char)
CREST(short, CREST_short)
CREST(unsigned short, CREST_unsigned_short)
CREST(int, CREST_int)
CREST(unsigned, CREST_unsigned_int)

static void fill(void *address, size_t bytes) {
  unsigned char *to = address;
  for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)next();
}

WEAK void bw_bytes(void *address, size_t bytes, const char *label) {
  (void)label;
  fill(address, bytes);
}

WEAK void klee_make_symbolic(void *address, size_t bytes, const char *label) {
  (void)label;
  fill(address, bytes);
}

WEAK void __VERIFIER_nondet_memory(void *address, size_t bytes) { fill(address, bytes); }

static void assume(int holds) {
  if (holds) return;
  save_profile();
  if (__real__exit) __real__exit(0);
  exit(0);
}

WEAK void bw_assume(int condition) { assume(condition != 0); }
WEAK void __VERIFIER_assume(int condition) { assume(condition != 0); }
WEAK void klee_assume(uintptr_t condition) { assume(condition != 0); }

WEAK int klee_int(const char *label) {
  (void)label;
  return (int)ask();
}

WEAK int klee_range(int low, int high, const char *label) {
  (void)label;
  int value = (int)ask();
  assume(low <= value && value < high);
  return value;
}

WEAK void bw_reach_error(void) { abort(); }
WEAK void reach_error(void) { abort(); }
WEAK void __VERIFIER_error(void) { abort(); }
