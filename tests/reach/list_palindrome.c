// A list that is built from the input is a palindrome of nine elements that are not all equal.
// args: --stdin 12
#include <stdio.h>
#include <stdlib.h>
#include "bothways.h"

struct node {
    int value;
    struct node *next, *prev;
};

int main(void) {
    struct node *head = NULL, *tail = NULL;
    int c, length = 0;
    while ((c = getchar()) != EOF && c != '\n') {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return 0;
        node->value = c;
        node->next = NULL;
        node->prev = tail;
        if (tail)
            tail->next = node;
        else
            head = node;
        tail = node;
        length++;
    }
    if (length != 9 || head->value == head->next->value)
        return 0;
    for (int i = 0; i < 4; i++, head = head->next, tail = tail->prev)
        if (head->value != tail->value)
            return 0;
    return 1; // target: reachable
}
