// Removal from a doubly linked list: back pointers that fit and back pointers that do not
// function: unlink_node
// expect: branches=12/12 infeasible=0
struct dnode {
    struct dnode *prev, *next;
    int value;
};

struct list {
    struct dnode *first, *last;
    unsigned count;
};

int unlink_node(struct list *list, struct dnode *node)
{
    if (!list || !node || list->count == 0)
        return -1;
    if (node->prev) {
        if (node->prev->next != node)
            return -2;
        node->prev->next = node->next;
    } else {
        list->first = node->next;
    }
    if (node->next)
        node->next->prev = node->prev;
    else
        list->last = node->prev;
    list->count--;
    return list->count == 0;
}
