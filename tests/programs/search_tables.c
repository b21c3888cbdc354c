// search.h: what is found in a tree, a hash table and an array depends on the input.
// expect: branches=27/28 infeasible=1
// witness: 3 0 "abc"
// witness: 10 0 "abc"
// witness: 2000 700 "abc"
// witness: 2000 5 "sky"
// witness: 2000 50000 "abc"
// witness: 2000 2000 "red"
// witness: 2000 3 "abc"
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>

#include "bothways.h"

struct item {
    int key;
    int weight;
};

static int visits;

static int compare(const void *left, const void *right) {
    int a = ((const struct item *)left)->key, b = ((const struct item *)right)->key;
    if (a < b)
        return -1;
    return a > b;
}

static void visit(const void *node, VISIT which, int level) {
    const struct item *item = *(const struct item *const *)node;
    if ((which == postorder || which == leaf) && item->weight == 77) /* only the one of the input has it */
        visits += level;
}

int main(void) {
    static struct item items[] = {{3, 1}, {1000, 2}, {50000, 3}, {-8, 4}, {700, 5}};
    struct item given, wanted;
    char name[4];
    void *root = NULL;
    ENTRY entry = {name, NULL};
    size_t count = 5;
    bw_int(&given.key, "given");
    bw_int(&wanted.key, "wanted");
    bw_bytes(name, 3, "name");
    name[3] = 0;
    given.weight = 77;
    for (int i = 0; i < 5; i++)
        tsearch(&items[i], &root, compare);
    struct item **found = tsearch(&given, &root, compare);
    if (*found != &given)
        return 1;
    twalk(root, visit);
    if (visits == 3)
        return 2;
    found = tfind(&wanted, &root, compare);
    if (found && (*found)->weight == 5) {
        tdelete(&wanted, &root, compare);
        if (!tfind(&wanted, &root, compare)) /* never false */
            return 3;
    }
    hcreate(4);
    hsearch((ENTRY){"red", items}, ENTER);
    hsearch((ENTRY){"sky", items + 1}, ENTER);
    ENTRY *colour = hsearch(entry, FIND);
    if (colour && ((struct item *)colour->data)->weight == 2)
        return 4;
    hdestroy();
    struct item *place = lfind(&wanted, items, &count, sizeof *items, compare);
    if (place && place->weight == 3)
        return 5;
    return 0;
}
