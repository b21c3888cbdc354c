// Sorted insertion through a pointer to a pointer; the list may be empty
// function: insert
// expect: branches=14/14 infeasible=0
#include <stdlib.h>

typedef struct item {
    struct item *next;
    unsigned short weight;
} item;

static int duplicates;

int insert(item **head, unsigned short weight)
{
    item **at = head;
    int steps = 0;
    if (!head)
        return -1;
    while (*at && (*at)->weight < weight) {
        at = &(*at)->next;
        if (++steps > 8)
            return -3;
    }
    if (*at && (*at)->weight == weight) {
        duplicates++;
        return duplicates > 1 ? 2 : 1;
    }
    item *fresh = malloc(sizeof *fresh);
    fresh->weight = weight;
    fresh->next = *at;
    *at = fresh;
    return 0;
}
