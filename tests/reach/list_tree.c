// Insertions make a search tree of height five with five nodes, then a zigzag.
// args: 
#include "bothways.h"

struct node {
    int key;
    struct node *child[2];
};

int main(void) {
    static struct node nodes[5];
    struct node *root = 0;
    int turns = 0;
    for (int i = 0; i < 5; i++) {
        bw_int(&nodes[i].key, "key");
        struct node **at = &root;
        int depth = 0, last = -1, bends = 0;
        while (*at) {
            int side = nodes[i].key > (*at)->key;
            bends += last >= 0 && side != last;
            last = side;
            at = &(*at)->child[side];
            depth++;
        }
        if (depth != i)
            return 0;
        *at = &nodes[i];
        turns = bends;
    }
    if (turns == 3)
        return 1; // target: reachable
    return 0;
}
