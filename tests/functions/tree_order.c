// Binary search tree: order, depth and a duplicate
// function: ordered
// expect: branches=20/20 infeasible=0
#include <limits.h>

struct tree {
    int key;
    struct tree *left, *right;
};

static int bounded(const struct tree *at, long low, long high, int depth)
{
    if (!at)
        return 1;
    if (depth > 2)
        return 0;
    if (at->key <= low || at->key >= high)
        return 0;
    return bounded(at->left, low, at->key, depth + 1) && bounded(at->right, at->key, high, depth + 1);
}

int ordered(const struct tree *root)
{
    if (!root)
        return -1;
    if (root->left && root->right && root->left->left)
        return 2;
    return bounded(root, LONG_MIN, LONG_MAX, 0);
}
