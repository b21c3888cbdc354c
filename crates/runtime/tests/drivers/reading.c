/* Standard input through the wrapped functions; the mode is the first argument. */
#include "abi.h"
#include <stdio.h>

int64_t __bw_libc_read(int, void *, u64);
u64 __bw_libc_fread(void *, u64, u64, FILE *);
char *__bw_libc_fgets(char *, int, FILE *);
int __bw_libc_getc(FILE *);
int __bw_libc_getchar(void);
int __bw_libc_ungetc(int, FILE *);
ssize_t __bw_libc_getline(char **, size_t *, FILE *);

static void look(const char *byte, int k) {
  u32 label = __bw_load(1, 0, (u64)byte, 1, (unsigned char)*byte, 0, 0, 0);
  int hit = (unsigned char)*byte == k;
  u32 c = __bw_icmp(ICMP_EQ | 8 << 16, label, (unsigned char)*byte, 0, (u64)k, (u32)hit);
  __bw_branch(k + (u32)hit, c, hit, 0, 0, 0);
}

static void look_at_result(void *f, int got, int k) {
  u32 label = result_of(f);
  branch_eq((u32)k, label, got, k);
}

int main(int argc, char **argv) {
  char b[16];
  if (argc < 2) return 1;
  switch (argv[1][0]) {
    case 'r':
      if (__bw_libc_read(0, b, 4) > 0) look(b, 'x');
      return __bw_libc_read(0, b, 4) == 0;
    case 'f':
      return (int)__bw_libc_fread(b, 2, 3, stdin);
    case 'g':
      if (__bw_libc_fgets(b, 4, stdin)) look(b + 1, 'y');
      return __bw_libc_fgets(b, 4, stdin) == NULL;
    case 'c': {
      look_at_result(__bw_libc_getchar, __bw_libc_getchar(), 'a');
      int c = __bw_libc_getc(stdin);
      look_at_result(__bw_libc_getc, c, 'b');
      __bw_libc_ungetc(c, stdin);
      look_at_result(__bw_libc_getc, __bw_libc_getc(stdin), 'c');
      return 0;
    }
    case 's':
      if (scanf("%d", &argc) != 1) return 2;
      look_at_result(__bw_libc_getchar, __bw_libc_getchar(), 'd');
      return argc;
    case 'l': {
      char *line = NULL;
      size_t room = 0;
      ssize_t got = __bw_libc_getline(&line, &room, stdin);
      if (got > 0) look(line, 'z');
      return (int)got;
    }
  }
  return 0;
}
