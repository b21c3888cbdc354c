// A linked list on the heap: sorted insertion through a pointer to a pointer, then removal.
// expect: branches=17/18 infeasible=1
// witness: 3 1 2
// witness: 1 2 3
// witness: 2 2 2
// witness: 3 2 1
// witness: 5 1 5
// witness: 0 500 0
#include <stdlib.h>

#include "bothways.h"

struct node {
    int value;
    struct node *next;
};

static void insert(struct node **place, int value) {
    while (*place && (*place)->value < value)
        place = &(*place)->next;
    if (*place && (*place)->value == value)
        return; /* a set */
    struct node *node = malloc(sizeof *node);
    if (!node) /* never true: memory does not run out here */
        exit(2);
    node->value = value;
    node->next = *place;
    *place = node;
}

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        int value;
        bw_int(&value, "value");
        insert(&list, value);
    }
    if (!list->next)
        return 1;
    struct node *second = list->next;
    if (second->value - list->value > 100)
        list->next = second->next;
    if (list->next == second)
        list->next = NULL;
    free(second);
    return 0;
}
