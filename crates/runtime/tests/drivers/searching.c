/* The models of search.h against the C library, with random operations: prints the first difference and fails. */
#define _GNU_SOURCE
#include "hooks.h"
#include <errno.h>
#include <search.h>
#include <stdlib.h>

typedef int comparison(const void *, const void *);
void *__bw_model_tsearch(const void *, void **, comparison *);
void *__bw_model_tfind(const void *, void *const *, comparison *);
void *__bw_model_tdelete(const void *, void **, comparison *);
void __bw_model_twalk(const void *, void (*)(const void *, VISIT, int));
void __bw_model_twalk_r(const void *, void (*)(const void *, VISIT, void *), void *);
void __bw_model_tdestroy(void *, void (*)(void *));
int __bw_model_hcreate(size_t);
ENTRY *__bw_model_hsearch(ENTRY, ACTION);
void __bw_model_hdestroy(void);
int __bw_model_hcreate_r(size_t, struct hsearch_data *);
int __bw_model_hsearch_r(ENTRY, ACTION, ENTRY **, struct hsearch_data *);
void __bw_model_hdestroy_r(struct hsearch_data *);
void *__bw_model_lfind(const void *, const void *, size_t *, size_t, comparison *);
void *__bw_model_lsearch(const void *, void *, size_t *, size_t, comparison *);
void __bw_model_insque(void *, void *);
void __bw_model_remque(void *);

#define EXPECT(condition, ...) \
  do { \
    if (!(condition)) { \
      printf("line %d: ", __LINE__); \
      printf(__VA_ARGS__); \
      printf("\n"); \
      exit(1); \
    } \
  } while (0)

static unsigned long state = 88172645463325252ul;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state % n);
}

/* What a program sees: the pairs that are compared, and the visits. */
static char trace[2][1 << 20];
static size_t traced[2];
static int which;
#define TRACE(...) traced[which] += (size_t)sprintf(trace[which] + traced[which], __VA_ARGS__)

static int compare(const void *a, const void *b) {
  TRACE("%d:%d ", *(const int *)a, *(const int *)b);
  return *(const int *)a - *(const int *)b;
}

static void visit(const void *node, VISIT when, int level) { TRACE("%d/%d/%d ", **(int *const *)node, when, level); }
static void visit_r(const void *node, VISIT when, void *closure) { TRACE("%d/%d/%s ", **(int *const *)node, when, (char *)closure); }
static void release(void *key) { TRACE("%d ", *(int *)key); }

/* One operation on a tree. The parent that tdelete returns is freed memory if the root went. */
static void on_tree(int operation, void **root, const int *key, int model) {
  void *old = *root, *found;
  if (operation == 0)
    found = model ? __bw_model_tsearch(key, root, compare) : tsearch(key, root, compare);
  else if (operation == 1)
    found = model ? __bw_model_tfind(key, root, compare) : tfind(key, root, compare);
  else
    found = model ? __bw_model_tdelete(key, root, compare) : tdelete(key, root, compare);
  if (!found)
    TRACE("nothing\n");
  else if (found == old)
    TRACE("the root\n");
  else
    TRACE("%d\n", **(int **)found);
}

static void trees(void) {
  static int keys[2][200];
  for (int i = 0; i < 200; i++) keys[0][i] = keys[1][i] = i;
  for (int round = 0; round < 80; round++) {
    void *roots[2] = {NULL, NULL};
    unsigned range = 1 + below(200), mode = below(4);
    for (unsigned n = 0; n < 400; n++) {
      unsigned phase = n / 100 & 1;
      unsigned operation = below(4) ? (mode == 0 ? 0 : phase * 2) : below(3);
      unsigned at = mode == 3 ? n % range : below(range);
      traced[0] = traced[1] = 0;
      for (which = 0; which < 2; which++) {
        on_tree((int)operation, &roots[which], &keys[below(2)][at], which);
        if (which) __bw_model_twalk(roots[1], visit);
        else twalk(roots[0], visit);
      }
      EXPECT(!strcmp(trace[0], trace[1]), "round %d, operation %u of %u:\n%s\n%s", round, operation, at, trace[0], trace[1]);
    }
    traced[0] = traced[1] = 0;
    trace[0][0] = trace[1][0] = 0;
    which = 0;
    twalk_r(roots[0], visit_r, "x");
    tdestroy(roots[0], release);
    which = 1;
    __bw_model_twalk_r(roots[1], visit_r, "x");
    __bw_model_tdestroy(roots[1], release);
    EXPECT(!strcmp(trace[0], trace[1]), "the end of round %d:\n%s\n%s", round, trace[0], trace[1]);
  }
  int key = 1;
  EXPECT(!__bw_model_tsearch(&key, NULL, compare) && !__bw_model_tfind(&key, NULL, compare), "no root");
  EXPECT(!__bw_model_tdelete(&key, NULL, compare), "no root");
  __bw_model_twalk(NULL, visit);
  __bw_model_tdestroy(NULL, release);
}

/* What a call of hsearch_r gave, as text. */
static void seen(int result, const ENTRY *entry) {
  TRACE("%d %d ", result, errno);
  if (entry) TRACE("%s=%s", entry->key, (char *)entry->data);
  TRACE("\n");
}

static void hashes(void) {
  static char names[64][4], *values = "abcdefghijklmnopqrstuvwxyz";
  for (int i = 0; i < 64; i++) sprintf(names[i], "%c%c", 'a' + i % 8, 'a' + i / 8);
  names[0][0] = 0;
  for (int round = 0; round < 400; round++) {
    struct hsearch_data data[2] = {{0}, {0}};
    unsigned size = below(40);
    traced[0] = traced[1] = 0;
    int created[2] = {hcreate_r(size, &data[0]), __bw_model_hcreate_r(size, &data[1])};
    EXPECT(created[0] == created[1] && hcreate_r(1, &data[0]) == __bw_model_hcreate_r(1, &data[1]), "hcreate_r(%u)", size);
    EXPECT(hcreate(size) == __bw_model_hcreate(size), "hcreate(%u)", size);
    for (int n = 0; n < 120; n++) {
      ENTRY item = {names[below(64)], values + below(26)}, *entry;
      ACTION action = below(2) ? FIND : ENTER;
      all_symbolic = round % 3 == 1 || (round % 3 == 2 && below(9) == 0);
      for (which = 0; which < 2; which++) {
        errno = 0;
        entry = &item;
        int result = which ? __bw_model_hsearch_r(item, action, &entry, &data[1]) : hsearch_r(item, action, &entry, &data[0]);
        seen(result, entry);
        errno = 0;
        entry = which ? __bw_model_hsearch(item, action) : hsearch(item, action);
        seen(0, entry);
        if (entry && n % 7 == 0) entry->data = values + n % 26;
      }
      EXPECT(!strcmp(trace[0], trace[1]), "hsearch in %u:\n%s\n%s", size, trace[0], trace[1]);
    }
    hdestroy_r(&data[0]);
    __bw_model_hdestroy_r(&data[1]);
    hdestroy();
    __bw_model_hdestroy();
    EXPECT(!data[0].table && !data[1].table, "hdestroy_r");
  }
  errno = 0;
  EXPECT(!__bw_model_hcreate_r((size_t)-2, &(struct hsearch_data){0}) && errno == ENOMEM, "a table without end");
}

static void lists(void) {
  for (int round = 0; round < 200; round++) {
    int tables[2][64];
    size_t counts[2] = {0, 0};
    for (int n = 0; n < 60; n++) {
      int key = (int)below(40), adds = (int)below(2);
      const int *found[2];
      traced[0] = traced[1] = 0;
      trace[0][0] = trace[1][0] = 0;
      which = 0;
      found[0] = adds ? lsearch(&key, tables[0], &counts[0], sizeof key, compare) : lfind(&key, tables[0], &counts[0], sizeof key, compare);
      which = 1;
      found[1] = adds ? __bw_model_lsearch(&key, tables[1], &counts[1], sizeof key, compare)
                      : __bw_model_lfind(&key, tables[1], &counts[1], sizeof key, compare);
      EXPECT(!strcmp(trace[0], trace[1]) && counts[0] == counts[1], "lsearch of %d: %s %s", key, trace[0], trace[1]);
      EXPECT(!found[0] == !found[1] && (!found[0] || found[0] - tables[0] == found[1] - tables[1]), "lsearch of %d", key);
      EXPECT(!memcmp(tables[0], tables[1], counts[0] * sizeof key), "lsearch of %d: another table", key);
    }
  }
}

struct element { struct element *next, *before; };

static void queues(void) {
  struct element all[2][20];
  memset(all, 0, sizeof all);
  char present[20] = {0};
  for (int n = 0; n < 4000; n++) {
    unsigned one = below(20), other = below(20);
    if (present[one]) {
      remque(&all[0][one]);
      __bw_model_remque(&all[1][one]);
      present[one] = 0;
    } else {
      int alone = other == one || !present[other];
      insque(&all[0][one], alone ? NULL : &all[0][other]);
      __bw_model_insque(&all[1][one], alone ? NULL : &all[1][other]);
      present[one] = 1;
    }
#define SAME(field) ((!a->field && !b->field) || (a->field && b->field && a->field - all[0] == b->field - all[1]))
    for (int i = 0; i < 20; i++) {
      struct element *a = &all[0][i], *b = &all[1][i];
      EXPECT(SAME(next) && SAME(before), "element %d after %d operations", i, n);
    }
  }
}

int main(void) {
  trees();
  hashes();
  lists();
  queues();
  return 0;
}
