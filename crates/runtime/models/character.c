/* Models of <ctype.h> in the C locale. One expression each, no branch: a test of the result flips in one query. The non-zero
 * results are glibc's. */

static int between(int c, int low, int high) { return (unsigned)(c - low) <= (unsigned)(high - low); }

static int upper(int c) { return between(c, 'A', 'Z'); }
static int lower(int c) { return between(c, 'a', 'z'); }
static int digit(int c) { return between(c, '0', '9'); }

int __bw_model_isupper(int c) { return upper(c) << 8; }
int __bw_model_islower(int c) { return lower(c) << 9; }
int __bw_model_isalpha(int c) { return between(c | 32, 'a', 'z') << 10; }
int __bw_model_isdigit(int c) { return digit(c) << 11; }
int __bw_model_isxdigit(int c) { return (digit(c) | between(c | 32, 'a', 'f')) << 12; }
int __bw_model_isspace(int c) { return (between(c, '\t', '\r') | (c == ' ')) << 13; }
int __bw_model_isprint(int c) { return between(c, 32, 126) << 14; }
int __bw_model_isgraph(int c) { return between(c, 33, 126) << 15; }
int __bw_model_isblank(int c) { return (c == ' ') | (c == '\t'); }
int __bw_model_iscntrl(int c) { return (between(c, 0, 31) | (c == 127)) << 1; }
int __bw_model_isalnum(int c) { return (digit(c) | between(c | 32, 'a', 'z')) << 3; }

int __bw_model_ispunct(int c) {
  return (between(c, 33, 47) | between(c, 58, 64) | between(c, 91, 96) | between(c, 123, 126)) << 2;
}

int __bw_model_tolower(int c) { return c + (upper(c) << 5); }
int __bw_model_toupper(int c) { return c - (lower(c) << 5); }
