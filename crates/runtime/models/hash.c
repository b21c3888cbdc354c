/* Models of hcreate, hsearch and hdestroy. The table holds as many entries as glibc's. While all keys are concrete, they are found
 * by a hash. As soon as one of them is symbolic, the wanted key is compared with each key, since a hash of inputs says little that
 * a solver can undo. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int __bw_hook_symbolic(unsigned long value);

/* Cells are filled in order, from 1. Cell 0 has no entry; its `next` says whether the table has a symbolic key. */
struct cell {
  ENTRY entry;
  unsigned head; /* first cell of the keys with this hash; 0 is none */
  unsigned next; /* the next of them */
};

static int is_symbolic(const char *key) {
  size_t i = 0;
  for (; !__bw_hook_symbolic((unsigned char)key[i]); i++)
    if (!key[i]) return 0;
  return 1;
}

static unsigned hash(const char *key, unsigned size) {
  unsigned value = 0;
  for (; *key; key++) value = value * 31 + (unsigned char)*key;
  return 1 + value % size;
}

static ENTRY *find(const struct hsearch_data *data, const char *key, int symbolic) {
  struct cell *cells = (struct cell *)data->table;
  unsigned at;
  if (symbolic || cells[0].next) {
    for (at = 1; at <= data->filled; at++)
      if (strcmp(key, cells[at].entry.key) == 0) return &cells[at].entry;
    return NULL;
  }
  for (at = cells[hash(key, data->size)].head; at; at = cells[at].next)
    if (strcmp(key, cells[at].entry.key) == 0) return &cells[at].entry;
  return NULL;
}

static ENTRY *enter(struct hsearch_data *data, ENTRY item, int symbolic) {
  struct cell *cells = (struct cell *)data->table, *cell = &cells[++data->filled], *first;
  cell->entry = item;
  if (symbolic) {
    cells[0].next = 1;
  } else {
    first = &cells[hash(item.key, data->size)];
    cell->next = first->head;
    first->head = data->filled;
  }
  return &cell->entry;
}

/* Without a table, the C library does what it does. */
static int look_up(ENTRY item, ACTION action, ENTRY **result, struct hsearch_data *data) {
  int symbolic;
  if (!data->table) return hsearch_r(item, action, result, data);
  symbolic = is_symbolic(item.key);
  *result = find(data, item.key, symbolic);
  if (*result) return 1;
  if (action == ENTER && data->filled < data->size) {
    *result = enter(data, item, symbolic);
    return 1;
  }
  errno = action == ENTER ? ENOMEM : ESRCH;
  return 0;
}

/* Of an odd number. */
static int is_prime(unsigned long long number) {
  for (unsigned long long divisor = 3; divisor * divisor <= number; divisor += 2)
    if (number % divisor == 0) return 0;
  return 1;
}

static int create(size_t count, struct hsearch_data *data) {
  if (!data) {
    errno = EINVAL;
    return 0;
  }
  if (data->table) return 0;
  if (count < 3) count = 3;
  for (count |= 1; count <= UINT_MAX - 2 && !is_prime(count);) count += 2;
  if (count > UINT_MAX - 2) {
    errno = ENOMEM;
    return 0;
  }
  data->size = (unsigned)count;
  data->filled = 0;
  data->table = calloc(count + 1, sizeof(struct cell));
  return data->table != NULL;
}

static void destroy(struct hsearch_data *data) {
  if (!data) {
    errno = EINVAL;
    return;
  }
  free(data->table);
  data->table = NULL;
}

int __bw_model_hcreate_r(size_t count, struct hsearch_data *data) { return create(count, data); }
int __bw_model_hsearch_r(ENTRY item, ACTION action, ENTRY **result, struct hsearch_data *data) {
  return look_up(item, action, result, data);
}
void __bw_model_hdestroy_r(struct hsearch_data *data) { destroy(data); }

/* The table of the functions without a table. */
static struct hsearch_data table;

int __bw_model_hcreate(size_t count) { return create(count, &table); }
ENTRY *__bw_model_hsearch(ENTRY item, ACTION action) {
  ENTRY *result = NULL;
  look_up(item, action, &result, &table);
  return result;
}
void __bw_model_hdestroy(void) { destroy(&table); }
