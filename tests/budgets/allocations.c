// ask: 5
extern unsigned __VERIFIER_nondet_uint(void);
#include <stdlib.h>
struct node { struct node *next; unsigned key; };
int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 300; i++) {
        struct node *node = malloc(sizeof *node), **at = &head;
        if (!node) return 1;
        node->key = __VERIFIER_nondet_uint();
        while (*at && (*at)->key < node->key) at = &(*at)->next;
        node->next = *at;
        *at = node;
    }
    int n = 0;
    for (struct node *at = head; at; at = at->next) n += at->key == 7;
    return n > 3;
}
