/* Runs that end in every way. */
#define _GNU_SOURCE
#include "abi.h"
#include "bothways.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int __VERIFIER_nondet_int(void);
int __bw_libc_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int recurse(volatile int *p) {
  volatile char room[4096];
  room[0] = (char)*p;
  return recurse((volatile int *)room) + room[0];
}

static void *thread(void *unused) {
  (void)unused;
  for (int i = 0; i < 100000; i++) event(90);
  return NULL;
}

static void many_events(void) {
  for (u32 i = 0; i < 200000; i++) event(50 + (i & 7));
}

int main(void) {
  event(3u << 29 | 0); /* a call, in the prefix */
  int mode;
  bw_int(&mode, "mode");
  u32 label = load_int(&mode);
  if (branch_eq(0, label, mode, 1)) abort();
  if (branch_eq(2, label, mode, 2)) _exit(42);
  if (branch_eq(4, label, mode, 3))
    for (;;) pause();
  if (branch_eq(6, label, mode, 4)) return recurse(&mode);
  if (branch_eq(8, label, mode, 5)) {
    for (int i = 0; i < 1024; i++) close(i);
    return 5;
  }
  if (branch_eq(10, label, mode, 6)) {
    if (fork() == 0) {
      event(60);
      setsid();
      signal(SIGTERM, SIG_IGN);
      for (;;) pause();
    }
    event(61);
    return 6;
  }
  if (branch_eq(12, label, mode, 7)) {
    pthread_t t;
    __bw_libc_pthread_create(&t, NULL, thread, NULL);
    for (int i = 0; i < 1000; i++) event(62);
    pthread_join(t, NULL);
    return 7;
  }
  if (branch_eq(14, label, mode, 8)) {
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  }
  if (branch_eq(16, label, mode, 9)) {
    bw_assume(0);
    return 9;
  }
  if (branch_eq(18, label, mode, 10)) bw_reach_error();
  if (branch_eq(20, label, mode, 11)) {
    many_events();
    return 11;
  }
  if (branch_eq(22, label, mode, 12)) {
    signal(SIGCHLD, SIG_IGN);
    raise(SIGTERM);
  }
  if (branch_eq(24, label, mode, 13)) {
    execl("/bin/sh", "sh", "-c", "exit 13", (char *)NULL);
  }
  if (branch_eq(26, label, mode, 14)) {
    __bw_bin(ADD | 32 << 16, label, 14, 0, 1, 16);
    return 14;
  }
  return 0;
}
