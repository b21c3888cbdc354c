/* Models of lfind, lsearch, insque and remque. */
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>
#include <string.h>

typedef int comparison(const void *, const void *);

static void *find(const void *key, const void *base, const size_t *count, size_t size, comparison *compare) {
  const char *at = base;
  size_t i = 0;
  for (; i < *count && compare(key, at) != 0; i++) at += size;
  return i < *count ? (void *)at : NULL;
}

void *__bw_model_lfind(const void *key, const void *base, size_t *count, size_t size, comparison *compare) {
  return find(key, base, count, size, compare);
}

void *__bw_model_lsearch(const void *key, void *base, size_t *count, size_t size, comparison *compare) {
  void *found = find(key, base, count, size, compare);
  if (found) return found;
  found = (char *)base + *count * size;
  memcpy(found, key, size);
  ++*count;
  return found;
}

/* What elements of a list begin with. */
struct link {
  struct link *next, *before;
};

void __bw_model_insque(void *element, void *before) {
  struct link *new = element, *old = before;
  new->next = NULL;
  new->before = old;
  if (!old) return;
  new->next = old->next;
  old->next = new;
  if (new->next) new->next->before = new;
}

void __bw_model_remque(void *element) {
  struct link *old = element;
  if (old->next) old->next->before = old->before;
  if (old->before) old->before->next = old->next;
}
