/* klee/klee.h: the part of KLEE's interface that programs use to ask for inputs, so that they run under bothways unchanged. */
#ifndef BOTHWAYS_KLEE_H
#define BOTHWAYS_KLEE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __BOTHWAYS__

#ifdef __cplusplus
extern "C" {
#endif
void klee_make_symbolic(void *address, size_t bytes, const char *name);
void klee_assume(uintptr_t condition);
int klee_range(int low, int high, const char *name);
int klee_int(const char *name);
#ifdef __cplusplus
}
#endif

#else

#include "../bothways.h"

static BW_UNUSED void klee_make_symbolic(void *address, size_t bytes, const char *name) { bw_bytes(address, bytes, name); }

static BW_UNUSED void klee_assume(uintptr_t condition) { bw_assume(condition != 0); }

static BW_UNUSED int klee_int(const char *name) {
  int value;
  bw_int(&value, name);
  return value;
}

static BW_UNUSED int klee_range(int low, int high, const char *name) {
  int value = klee_int(name);
  bw_assume(low <= value && value < high);
  return value;
}

#endif

#define klee_assert(condition) assert(condition)
#define klee_silent_exit(status) _Exit(status)
#define klee_prefer_cex(address, condition) ((void)0)
#define klee_warning(text) ((void)0)
#define klee_warning_once(text) ((void)0)
#define klee_is_symbolic(value) ((void)(value), 0)

#endif
