/* Models of qsort and bsearch. They call the comparison with the pairs of glibc, in glibc's order, so that a comparison function
 * is covered here exactly as in a plain run. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *, const void *);

static void merge_sort(char *base, size_t count, size_t size, comparison *compare, char *room) {
  size_t left, right;
  char *a, *b, *to = room;
  if (count <= 1) return;
  left = count / 2;
  right = count - left;
  a = base;
  b = base + left * size;
  merge_sort(a, left, size, compare, room);
  merge_sort(b, right, size, compare, room);
  while (left > 0 && right > 0) {
    if (compare(a, b) <= 0) {
      memcpy(to, a, size);
      a += size;
      left--;
    } else {
      memcpy(to, b, size);
      b += size;
      right--;
    }
    to += size;
  }
  if (left > 0) memcpy(to, a, left * size);
  memcpy(base, room, (count - right) * size);
}

void __bw_model_qsort(void *base, size_t count, size_t size, comparison *compare) {
  char *room;
  if (count < 2 || size == 0) return;
  room = malloc(count * size);
  if (!room) {
    qsort(base, count, size, compare);
    return;
  }
  merge_sort(base, count, size, compare, room);
  free(room);
}

void *__bw_model_bsearch(const void *key, const void *base, size_t count, size_t size, comparison *compare) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *at = (const char *)base + middle * size;
    int order = compare(key, at);
    if (order < 0)
      high = middle;
    else if (order > 0)
      low = middle + 1;
    else
      return (void *)at;
  }
  return NULL;
}
