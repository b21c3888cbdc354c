// A container whose elements are `void *`, and a parameter that is one: what the code casts them to is what they are
// function: total
// expect: branches=12/12 infeasible=0
#include <stddef.h>

struct item {
    int weight;
    const char *label;
};

struct node {
    void *data;
    struct node *next;
};

typedef void *handle;

struct bag {
    int limit;
    struct node *first;
};

static int heavier(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    return left->weight > right->weight;
}

int total(handle *opaque, const void *least)
{
    struct bag *bag = (struct bag *)opaque;
    if (!bag || !least)
        return -1;
    for (struct node *node = bag->first; node; node = node->next) {
        if (!node->data)
            continue;
        if (heavier(node->data, least) && ((struct item *)node->data)->label[0] == '!')
            return ((const struct item *)least)->weight == bag->limit;
    }
    return 0;
}
