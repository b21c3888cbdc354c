/* Models of getopt, getopt_long and getopt_long_only, with glibc's permutation, abbreviations and messages. A long option is
 * found by one comparison with each name, before anything is decided of where the argument ends. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands between calls. */
static struct {
  int started;
  enum { PERMUTE, IN_ORDER, REQUIRE_ORDER } order;
  char *next;  /* rest of a group of short options */
  int first, last;  /* non-options that were skipped: from first, before last */
  int unknown; /* what optopt is after each call */
} state;

/* One call. */
struct call {
  int argc;
  char **argv;
  const char *shorts;
  const struct option *longs;
  int *index;
  int long_only;
  int prints;
};

static int is_option(const char *argument) { return argument[0] == '-' && argument[1] != 0; }

/* Moves the skipped non-options behind the options that were read since. */
static void exchange(char **argv) {
  int skipped = state.last - state.first, read = optind - state.last;
  for (int i = 0; i < read; i++) {
    char *option = argv[state.last + i];
    memmove(argv + state.first + i + 1, argv + state.first + i, (size_t)skipped * sizeof *argv);
    argv[state.first + i] = option;
  }
  state.first += read;
  state.last = optind;
}

static void start(struct call *call, int posix) {
  if (optind == 0) optind = 1;
  state.first = state.last = optind;
  state.next = NULL;
  if (call->shorts[0] == '-')
    state.order = IN_ORDER;
  else if (call->shorts[0] == '+' || posix || getenv("POSIXLY_CORRECT"))
    state.order = REQUIRE_ORDER;
  else
    state.order = PERMUTE;
  state.started = 1;
}

static int missing(const struct call *call) { return call->shorts[0] == ':' ? ':' : '?'; }

/* The long option whose name is all of the argument up to its end or `=`. */
static const struct option *exact(const struct call *call, const char *argument, const char **end) {
  for (const struct option *option = call->longs; option->name; option++) {
    size_t length = strlen(option->name);
    if (strncmp(option->name, argument, length) == 0 && ((argument[length] == 0) | (argument[length] == '='))) {
      *end = argument + length;
      return option;
    }
  }
  return NULL;
}

static int same_effect(const struct option *a, const struct option *b) {
  return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/* The only option that the argument abbreviates; `*ambiguous` if there are several. */
static const struct option *abbreviated(const struct call *call, const char *argument, const char **end, int *ambiguous) {
  const struct option *found = NULL;
  size_t length = 0;
  while (argument[length] && argument[length] != '=') length++;
  *end = argument + length;
  for (const struct option *option = call->longs; option->name; option++) {
    if (strncmp(option->name, argument, length)) continue;
    if (!found)
      found = option;
    else if (call->long_only || !same_effect(found, option))
      *ambiguous = 1;
  }
  return found;
}

static void list_ambiguous(const struct call *call, const char *prefix, const char *argument, size_t length) {
  fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call->argv[0], prefix, argument);
  for (const struct option *option = call->longs; option->name; option++)
    if (!strncmp(option->name, argument, length)) fprintf(stderr, " '%s%s'", prefix, option->name);
  fputc('\n', stderr);
}

/* -1 if it may be a group of short options instead. */
static int long_option(struct call *call, char *argument, const char *prefix) {
  const char *end;
  int ambiguous = 0;
  const struct option *option = exact(call, argument, &end);
  if (!option) option = abbreviated(call, argument, &end, &ambiguous);
  if (ambiguous) {
    if (call->prints) list_ambiguous(call, prefix, argument, (size_t)(end - argument));
    state.next = NULL;
    optind++;
    state.unknown = 0;
    return '?';
  }
  if (!option) {
    if (call->long_only && call->argv[optind][1] != '-' && strchr(call->shorts, *argument)) return -1;
    if (call->prints) fprintf(stderr, "%s: unrecognized option '%s%s'\n", call->argv[0], prefix, argument);
    state.next = NULL;
    optind++;
    state.unknown = 0;
    return '?';
  }
  state.next = NULL;
  optind++;
  if (*end) {
    if (!option->has_arg) {
      if (call->prints)
        fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", call->argv[0], prefix, option->name);
      state.unknown = option->val;
      return '?';
    }
    optarg = (char *)end + 1;
  } else if (option->has_arg == required_argument) {
    if (optind >= call->argc) {
      if (call->prints)
        fprintf(stderr, "%s: option '%s%s' requires an argument\n", call->argv[0], prefix, option->name);
      state.unknown = option->val;
      return missing(call);
    }
    optarg = call->argv[optind++];
  }
  if (call->index) *call->index = (int)(option - call->longs);
  if (option->flag) {
    *option->flag = option->val;
    return 0;
  }
  return option->val;
}

/* Goes to the next argument that is an option; 0 if there is one, else what to return. */
static int advance(struct call *call) {
  if (state.last > optind) state.last = optind;
  if (state.first > optind) state.first = optind;
  if (state.order == PERMUTE) {
    if (state.first != state.last && state.last != optind)
      exchange(call->argv);
    else if (state.last != optind)
      state.first = optind;
    while (optind < call->argc && !is_option(call->argv[optind])) optind++;
    state.last = optind;
  }
  if (optind != call->argc && !strcmp(call->argv[optind], "--")) {
    optind++;
    if (state.first != state.last && state.last != optind)
      exchange(call->argv);
    else if (state.first == state.last)
      state.first = optind;
    state.last = optind = call->argc;
  }
  if (optind == call->argc) {
    if (state.first != state.last) optind = state.first;
    return -1;
  }
  if (!is_option(call->argv[optind])) {
    if (state.order == REQUIRE_ORDER) return -1;
    optarg = call->argv[optind++];
    return 1;
  }
  return 0;
}

static void take_argument(struct call *call, int *c, int optional) {
  if (*state.next) {
    optarg = state.next;
    optind++;
  } else if (optional) {
    optarg = NULL;
  } else if (optind == call->argc) {
    if (call->prints) fprintf(stderr, "%s: option requires an argument -- '%c'\n", call->argv[0], *c);
    state.unknown = *c;
    *c = missing(call);
  } else {
    optarg = call->argv[optind++];
  }
  state.next = NULL;
}

static int short_option(struct call *call) {
  int c = *state.next++;
  const char *known = strchr(call->shorts, c);
  if (*state.next == 0) optind++;
  if (!known || c == ':' || c == ';') {
    if (call->prints) fprintf(stderr, "%s: invalid option -- '%c'\n", call->argv[0], c);
    state.unknown = c;
    return '?';
  }
  if (known[0] == 'W' && known[1] == ';' && call->longs) {
    char *argument = state.next;
    if (*argument == 0) {
      if (optind == call->argc) {
        if (call->prints) fprintf(stderr, "%s: option requires an argument -- '%c'\n", call->argv[0], c);
        state.unknown = c;
        return missing(call);
      }
      argument = call->argv[optind];
    }
    optarg = NULL;
    return long_option(call, argument, "-W ");
  }
  if (known[1] == ':') take_argument(call, &c, known[2] == ':');
  return c;
}

static int next_option(struct call *call, int posix) {
  optarg = NULL;
  if (optind == 0 || !state.started) start(call, posix);
  if (call->shorts[0] == '-' || call->shorts[0] == '+') call->shorts++;
  call->prints = call->shorts[0] == ':' ? 0 : opterr;
  if (!state.next || !*state.next) {
    char *argument;
    int done = advance(call);
    if (done) return done;
    argument = call->argv[optind];
    if (call->longs) {
      if (argument[1] == '-') return long_option(call, argument + 2, "--");
      if (call->long_only && (argument[2] || !strchr(call->shorts, argument[1]))) {
        int code = long_option(call, argument + 1, "-");
        if (code != -1) return code;
      }
    }
    state.next = argument + 1;
  }
  return short_option(call);
}

static int parse(struct call *call, int posix) {
  int code = call->argc < 1 ? -1 : next_option(call, posix);
  optopt = state.unknown;
  return code;
}

int __bw_model_getopt(int argc, char *const *argv, const char *shorts) {
  struct call call = {argc, (char **)argv, shorts, NULL, NULL, 0, 0};
  return parse(&call, 0);
}

int __bw_model___posix_getopt(int argc, char *const *argv, const char *shorts) {
  struct call call = {argc, (char **)argv, shorts, NULL, NULL, 0, 0};
  return parse(&call, 1);
}

int __bw_model_getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  struct call call = {argc, (char **)argv, shorts, longs, index, 0, 0};
  return parse(&call, 0);
}

int __bw_model_getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  struct call call = {argc, (char **)argv, shorts, longs, index, 1, 0};
  return parse(&call, 0);
}
