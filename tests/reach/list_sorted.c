// A list built from input is sorted, has six nodes and a given sum.
// args: 
#include "bothways.h"

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node nodes[6], *head = 0;
    for (int i = 0; i < 6; i++) {
        bw_int(&nodes[i].value, "value");
        nodes[i].next = head;
        head = &nodes[i];
    }
    int sum = 0;
    for (struct node *at = head; at; at = at->next) {
        if (at->value < 0 || at->value > 100)
            return 0;
        if (at->next && at->value <= at->next->value)
            return 0;
        sum += at->value;
    }
    if (sum == 333)
        return 1; // target: reachable
    return 0;
}
