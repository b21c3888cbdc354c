/* Models of tsearch, tfind, tdelete, twalk, twalk_r and tdestroy: a red-black tree that has at each time the shape of glibc's, so
 * that the comparison sees the same pairs in the same order, and a walk the same visits. Insertion splits and rotates on the way
 * down (Sedgewick); deletion moves the key of the successor and repairs on the way up. */
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>
#include <stdlib.h>

typedef int comparison(const void *, const void *);

enum { LEFT, RIGHT };

/* The key comes first: programs read it through the pointers that they get. */
struct node {
  const void *key;
  struct node *child[2];
  int red;
};

/* Longest way down, and one step that a rotation adds: 2 log2 of the number of nodes. */
enum { DEEPEST = 2 * 8 * sizeof(void *) + 2 };

static int is_red(const struct node *node) { return node && node->red; }

/* Puts the child of that side on top of `*link`; the old top hangs below it on the other side. */
static void lift(struct node **link, int side) {
  struct node *top = *link, *child = top->child[side];
  top->child[side] = child->child[!side];
  child->child[!side] = top;
  *link = child;
}

/* Makes `*link` red and its children black, and removes a red parent with a red child by a rotation. `side` says where `*link` hangs
 * below `*parent`, `parent_side` where that hangs below `*grandparent`. */
static void split(struct node **link, struct node **parent, struct node **grandparent, int side, int parent_side) {
  struct node *node = *link;
  node->red = 1;
  for (int i = LEFT; i <= RIGHT; i++)
    if (node->child[i]) node->child[i]->red = 0;
  if (!parent || !(*parent)->red) return;
  (*grandparent)->red = 1;
  if (side != parent_side) lift(parent, side);
  lift(grandparent, parent_side);
  (*grandparent)->red = 0;
}

/* After a rotation `parent` and `grandparent` may be stale. The next two nodes are black and not to be split then, so nobody looks. */
void *__bw_model_tsearch(const void *key, void **root, comparison *compare) {
  struct node **link = (struct node **)root, **parent = NULL, **grandparent = NULL, *node;
  int side = LEFT, parent_side = LEFT;
  if (!link) return NULL;
  if (*link) (*link)->red = 0;
  while (*link) {
    int order;
    node = *link;
    order = compare(key, node->key);
    if (order == 0) return node;
    if (is_red(node->child[LEFT]) && is_red(node->child[RIGHT])) split(link, parent, grandparent, side, parent_side);
    grandparent = parent;
    parent = link;
    parent_side = side;
    side = order < 0 ? LEFT : RIGHT;
    link = &node->child[side];
  }
  node = malloc(sizeof *node);
  if (!node) return NULL;
  node->key = key;
  node->child[LEFT] = node->child[RIGHT] = NULL;
  *link = node;
  split(link, parent, grandparent, side, parent_side);
  return node;
}

void *__bw_model_tfind(const void *key, void *const *root, comparison *compare) {
  struct node *node;
  if (!root) return NULL;
  node = *root;
  while (node) {
    int order = compare(key, node->key);
    if (order == 0) return node;
    node = node->child[order < 0 ? LEFT : RIGHT];
  }
  return NULL;
}

/* A black node was removed above `node`: `above` has the links to its ancestors. */
static void repair(struct node ***above, int depth, struct node *node) {
  for (; depth > 0 && !is_red(node); depth--) {
    struct node **link = above[depth - 1], *parent = *link;
    int side = node == parent->child[LEFT] ? LEFT : RIGHT;
    struct node *sibling = parent->child[!side];
    if (sibling->red) {
      sibling->red = 0;
      parent->red = 1;
      lift(link, !side);
      link = &sibling->child[side];
      sibling = parent->child[!side];
    }
    if (is_red(sibling->child[LEFT]) || is_red(sibling->child[RIGHT])) {
      if (!is_red(sibling->child[!side])) lift(&parent->child[!side], side);
      sibling = parent->child[!side];
      sibling->red = parent->red;
      sibling->child[!side]->red = 0;
      parent->red = 0;
      lift(link, !side);
      return;
    }
    sibling->red = 1;
    node = parent;
  }
  if (node) node->red = 0;
}

/* The parent of the node that had the key; the root if that had it. */
void *__bw_model_tdelete(const void *key, void **root, comparison *compare) {
  struct node **above[DEEPEST], **link = (struct node **)root, *found, *removed, *below, *parent;
  int depth = 0, order;
  if (!link || !*link) return NULL;
  parent = *link;
  while ((order = compare(key, (*link)->key)) != 0) {
    above[depth++] = link;
    parent = *link;
    link = &parent->child[order < 0 ? LEFT : RIGHT];
    if (!*link) return NULL;
  }
  found = *link;
  if (found->child[LEFT] && found->child[RIGHT]) {
    above[depth++] = link;
    for (link = &found->child[RIGHT]; (*link)->child[LEFT]; link = &(*link)->child[LEFT]) above[depth++] = link;
  }
  removed = *link;
  below = removed->child[removed->child[LEFT] ? LEFT : RIGHT];
  found->key = removed->key;
  *link = below;
  if (!removed->red) repair(above, depth, below);
  free(removed);
  return parent;
}

/* What to call at each visit: one of the two. */
struct visitor {
  void (*with_level)(const void *, VISIT, int);
  void (*with_closure)(const void *, VISIT, void *);
  void *closure;
};

static void visit(const struct visitor *visitor, const struct node *node, VISIT which, int level) {
  if (visitor->with_level)
    visitor->with_level(node, which, level);
  else
    visitor->with_closure(node, which, visitor->closure);
}

static void walk(const struct visitor *visitor, const struct node *node, int level) {
  if (!node->child[LEFT] && !node->child[RIGHT]) {
    visit(visitor, node, leaf, level);
    return;
  }
  visit(visitor, node, preorder, level);
  if (node->child[LEFT]) walk(visitor, node->child[LEFT], level + 1);
  visit(visitor, node, postorder, level);
  if (node->child[RIGHT]) walk(visitor, node->child[RIGHT], level + 1);
  visit(visitor, node, endorder, level);
}

void __bw_model_twalk(const void *root, void (*action)(const void *, VISIT, int)) {
  struct visitor visitor = {action, NULL, NULL};
  if (root && action) walk(&visitor, root, 0);
}

void __bw_model_twalk_r(const void *root, void (*action)(const void *, VISIT, void *), void *closure) {
  struct visitor visitor = {NULL, action, closure};
  if (root && action) walk(&visitor, root, 0);
}

void __bw_model_tdestroy(void *root, void (*release)(void *)) {
  struct node *node = root;
  if (!node) return;
  if (node->child[LEFT]) __bw_model_tdestroy(node->child[LEFT], release);
  if (node->child[RIGHT]) __bw_model_tdestroy(node->child[RIGHT], release);
  release((void *)node->key);
  free(node);
}
