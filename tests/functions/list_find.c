// Singly linked list: search, with a sorted invariant that is checked on the way
// function: list_find
// expect: branches=14/14 infeasible=0
#include <stddef.h>

struct node {
    int key;
    struct node *next;
};

int list_find(const struct node *head, int key, size_t *steps)
{
    size_t count = 0;
    const struct node *last = NULL;
    for (const struct node *at = head; at; at = at->next) {
        if (last && last->key > at->key)
            return -1;
        if (at->key == key) {
            if (steps)
                *steps = count;
            return count > 2 ? 2 : 1;
        }
        if (++count == 6)
            return -2;
        last = at;
    }
    return 0;
}
