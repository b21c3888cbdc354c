// A function whose allocation is a stub, behind more globals than there are objects for
// function: start
// expect: branches=18/18 infeasible=0
struct node {
    struct node *left, *right;
    int key;
};

extern void *allocate(unsigned long bytes);
struct node *a, *b, *c, *d, *e, *f, *g, *h;

int start(int size)
{
    char *buffer = allocate((unsigned long)size);
    buffer[0] = 0;
    if (a && b && c && d && e && f && g && h)
        size += a->key + h->key;
    if (size == 77)
        return 1;
    return 0;
}
