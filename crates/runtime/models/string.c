/* Models of the string functions that search for sets and substrings, and of the tokenizers: where a token ends is decided
 * byte by byte, since what follows works on the token. */
#include <stddef.h>

/* 1 if the character is in the set; one expression over the set, no branch on the character. */
static int in_set(char c, const char *set) {
  int found = 0;
  for (; *set; set++) found |= c == *set;
  return found;
}

static size_t inside(const char *s, const char *set) {
  size_t n = 0;
  while (in_set(s[n], set)) n++; /* the terminator is in no set */
  return n;
}

static size_t outside(const char *s, const char *set) {
  size_t n = 0;
  while (!((s[n] == 0) | in_set(s[n], set))) n++;
  return n;
}

char *__bw_model_strpbrk(const char *s, const char *set) {
  s += outside(s, set);
  return *s ? (char *)s : NULL;
}

char *__bw_model_strstr(const char *s, const char *wanted) {
  for (;; s++) {
    size_t i = 0;
    while (wanted[i] && s[i] == wanted[i]) i++;
    if (!wanted[i]) return (char *)s;
    if (!s[i]) return NULL;
  }
}

char *__bw_model_strtok_r(char *s, const char *set, char **rest) {
  char *end;
  if (!s) s = *rest; /* NULL without a text before: the C library crashes, too */
  s += inside(s, set);
  if (!*s) {
    *rest = s;
    return NULL;
  }
  end = s + outside(s, set);
  if (!*end) {
    *rest = end;
    return s;
  }
  *end = 0;
  *rest = end + 1;
  return s;
}

char *__bw_model_strtok(char *s, const char *set) {
  static char *rest;
  return __bw_model_strtok_r(s, set, &rest);
}

char *__bw_model_strsep(char **string, const char *set) {
  char *begin = *string, *end;
  if (!begin) return NULL;
  end = begin + outside(begin, set);
  if (*end) {
    *end = 0;
    *string = end + 1;
  } else {
    *string = NULL;
  }
  return begin;
}
