/* getopt's models against the C library, with random options and arguments: prints the first difference and fails. */
#define _GNU_SOURCE
#include "hooks.h"
#include <getopt.h>
#include <stdlib.h>

int __bw_model_getopt(int, char *const *, const char *);
int __bw_model_getopt_long(int, char *const *, const char *, const struct option *, int *);
int __bw_model_getopt_long_only(int, char *const *, const char *, const struct option *, int *);

static unsigned long state = 88172645463325252ul;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state % n);
}

static int flag;
static const struct option longs[] = {
  {"all", no_argument, NULL, 'a'}, {"alpha", required_argument, NULL, 'A'}, {"beta", optional_argument, NULL, 300},
  {"set", no_argument, &flag, 7}, {"b", required_argument, NULL, 'B'}, {"same-one", no_argument, NULL, 's'},
  {"same-two", no_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
static const char *const words[] = {"-a", "-b", "-bx", "-c", "-cx", "-ab", "-x", "--", "-", "file", "", "--all", "--al", "--alpha",
  "--alpha=v", "--be", "--beta=", "--bet=q", "--set", "--set=1", "--no", "-all", "-alpha", "-b=1", "--same", "-W", "-Wall",
  "-W all", "--b", "--b=", "-s", "-:", "-;", "--=x"};
static const char *const shorts[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:c::", "", "ab:c::W;", "-:b", "x"};

/* Everything that a caller sees, as text. */
static void run(char *to, int which, int argc, char **given, const char *options, int model) {
  char *argv[12];
  int index = -1, c;
  memcpy(argv, given, sizeof argv);
  optind = 0;
  optopt = -5;
  flag = 0;
  for (int calls = 0; calls < 30; calls++) {
    if (which == 0)
      c = model ? __bw_model_getopt(argc, argv, options) : getopt(argc, argv, options);
    else if (which == 1)
      c = model ? __bw_model_getopt_long(argc, argv, options, longs, &index) : getopt_long(argc, argv, options, longs, &index);
    else
      c = model ? __bw_model_getopt_long_only(argc, argv, options, longs, &index)
                : getopt_long_only(argc, argv, options, longs, &index);
    to += sprintf(to, "%d,%d,%d,%d,%d,%s ", c, optind, optopt, index, flag, optarg ? optarg : "(none)");
    if (c == -1) break;
  }
  for (int i = 0; i < argc; i++) to += sprintf(to, "[%s]", argv[i]);
}

int main(void) {
  char message[2][4096], seen[2][4096];
  opterr = 0;
  for (int round = 0; round < 300000; round++) {
    char *argv[12] = {"program"};
    int argc = 1 + (int)below(8), which = (int)below(3);
    const char *options = shorts[below(sizeof shorts / sizeof *shorts)];
    for (int i = 1; i < argc; i++) argv[i] = (char *)words[below(sizeof words / sizeof *words)];
    for (int model = 0; model < 2; model++) {
      FILE *real = stderr;
      memset(message[model], 0, sizeof message[model]);
      opterr = round % 64 == 0;
      if (opterr) stderr = fmemopen(message[model], sizeof message[model], "w");
      run(seen[model], which, argc, argv, options, model);
      if (opterr) fclose(stderr);
      stderr = real;
    }
    if (strcmp(seen[0], seen[1]) || strcmp(message[0], message[1])) {
      printf("%d \"%s\":", which, options);
      for (int i = 1; i < argc; i++) printf(" '%s'", argv[i]);
      printf("\nlibrary %s\n%s\nmodel   %s\n%s\n", seen[0], message[0], seen[1], message[1]);
      return 1;
    }
  }
  return 0;
}
